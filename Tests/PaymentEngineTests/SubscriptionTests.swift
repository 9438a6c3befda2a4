import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("What a subscription is sent first")
struct SubscriptionTests {
    @Test("A new observer gets what is unfinished, then caughtUp, and only then orders leave")
    func redeliveryFirst() {
        let bench = EngineBench()
        bench.logIn()
        let ids = bench.addMany(3)
        let head = bench.journal.head
        let target = RecordingTarget()
        var submissionsAtDelivery: [Int] = []
        target.onDelivery = { _ in submissionsAtDelivery.append(bench.gateway.submissions.count) }
        _ = bench.subscribe(target)
        bench.run()
        #expect(target.words.prefix(2) == ["redelivery of 3 at \(head)", "caughtUp \(head)"])
        #expect(target.words.dropFirst(2).first == "record \(head + 1) after \(head)")
        #expect(submissionsAtDelivery.prefix(3) == [0, 0, 0])
        #expect(bench.gateway.submissions.map(\.transaction) == ids)
    }

    @Test("Nothing leaves for a session that the only observer, who had no room, has not heard of")
    func lateForSession() {
        let bench = EngineBench()
        let target = RecordingTarget()
        let subscription = bench.subscribe(target)
        bench.run()
        let id = bench.addMany(1)[0]
        target.roomFor = 0
        bench.logIn()
        bench.loop.advance(by: .seconds(60))
        // Nor does anybody else's coming and going make it count.
        let passive = bench.subscribe(RecordingTarget(), SubscriptionRequest(isPassive: true))
        bench.run()
        bench.engine.subscriptions.unsubscribe(passive)
        bench.run()
        #expect(bench.gateway.submissions.isEmpty)
        target.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
        #expect(target.words.last?.hasPrefix("record") == true)
    }

    @Test("The end of a restore is sent although two more changes of session are on their way")
    func endBetweenSessions() {
        let bench = EngineBench.owning([])
        let target = RecordingTarget()
        bench.engine.start(observer: target)
        bench.run()
        var commits: [() -> Void] = []
        bench.journal.later = { commits.append($0) }
        // While this batch is under way the next one collects both changes of session.
        bench.add()
        bench.run()
        bench.logIn(Samples.bert)
        let id = bench.restore().restore
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        commits[0]()
        bench.run()
        bench.logIn(Samples.anna)
        commits[1]()
        bench.run()
        #expect(
            target.deliveries.contains { delivery in
                guard case .record(let record, _) = delivery,
                    case .restoreEnded(id, _, _) = record.event
                else { return false }
                return true
            })
    }

    @Test("A cursor gets the records behind it and redelivery of what it skips")
    func cursor() {
        let bench = EngineBench()
        bench.logIn()
        let old = bench.addMany(2)
        let cursor = bench.journal.head
        let new = bench.addMany(2)
        let head = bench.journal.head
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(after: cursor, isPassive: false))
        bench.run()
        #expect(
            target.words.prefix(4) == [
                "record \(head - 1) after \(cursor)", "record \(head) after \(head - 1)",
                "redelivery of 2 at \(head)", "caughtUp \(head)",
            ])
        guard case .redelivery(let batch, _) = target.deliveries[2] else {
            Issue.record("there is no redelivery")
            return
        }
        #expect(batch.map(\.id) == old)
        #expect(!new.isEmpty)
    }

    @Test("From the head on, everything unfinished comes back; from the start, nothing twice")
    func edges() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(3)
        let head = bench.journal.head
        for (after, isPassive, expected) in [
            (head, true, ["caughtUp \(head)"]),
            (nil, true, ["redelivery of 3 at \(head)", "caughtUp \(head)"]),
        ] as [(SequenceNumber?, Bool, [String])] {
            let target = RecordingTarget()
            _ = bench.subscribe(target, SubscriptionRequest(after: after, isPassive: isPassive))
            bench.run()
            #expect(target.words == expected)
        }
        let target = RecordingTarget()
        let subscription = bench.subscribe(target, SubscriptionRequest(after: 0, isPassive: true))
        bench.run()
        // The session, three acceptances; the start and the product are nobody's business.
        #expect(target.words.count == 5)
        #expect(target.words.last == "caughtUp \(head)")
        #expect(subscription.previous == head)
    }

    @Test(
        "Who only looks on makes nothing leave, whatever it looks at",
        arguments: [
            SubscriptionRequest(isPassive: true), SubscriptionRequest(kinds: [.storefrontChanged]),
            SubscriptionRequest(kinds: [.transactionsRemoved]),
            SubscriptionRequest(products: [Samples.book]),
        ])
    func onlookers(request: SubscriptionRequest) {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(1)
        _ = bench.subscribe(RecordingTarget(), request)
        bench.run()
        #expect(bench.gateway.submissions.isEmpty)
        #expect(bench.add().waitingFor == .observer)
    }

    @Test("When the last observer leaves, nothing new is sent")
    func lastObserver() {
        let bench = EngineBench()
        bench.logIn()
        let one = bench.engine.start(observer: RecordingTarget())
        let other = bench.engine.start(observer: RecordingTarget())
        bench.addMany(1)
        bench.engine.subscriptions.unsubscribe(one)
        bench.addMany(1)
        #expect(bench.gateway.submissions.count == 2)
        bench.engine.subscriptions.unsubscribe(other)
        bench.engine.subscriptions.unsubscribe(other)
        bench.addMany(1)
        #expect(bench.gateway.submissions.count == 2)
    }

    @Test("Kinds and products select records and redelivery alike, and the chain skips the rest")
    func filters() {
        let bench = EngineBench()
        bench.logIn()
        let coins = bench.addMany(1)[0]
        let pass = bench.addMany(1, Samples.pass)[0]
        let targets = [RecordingTarget(), RecordingTarget(), RecordingTarget()]
        let requests = [
            SubscriptionRequest(products: [Samples.pass], isPassive: true),
            SubscriptionRequest(kinds: [.transactionsRemoved], isPassive: true),
            SubscriptionRequest(kinds: [.storefrontChanged], isPassive: true),
        ]
        for (target, request) in zip(targets, requests) { _ = bench.subscribe(target, request) }
        bench.run()
        let head = bench.journal.head
        bench.finish(coins)
        bench.finish(pass)
        bench.run()
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        #expect(
            targets[0].words == [
                "redelivery of 1 at \(head)", "caughtUp \(head)",
                "record \(head + 2) after \(head)", "record \(head + 3) after \(head + 2)",
                "caughtUp \(head + 3)",
            ])
        #expect(
            targets[1].words == [
                "caughtUp \(head)", "record \(head + 1) after \(head)",
                "record \(head + 2) after \(head + 1)", "caughtUp \(head + 2)",
            ])
        #expect(
            targets[2].words == [
                "caughtUp \(head)", "record \(head + 3) after \(head)", "caughtUp \(head + 3)",
            ])
    }

    @Test("A transaction that is being completed is not redelivered; its removal is told")
    func completing() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        bench.finish(id)
        bench.run()
        let head = bench.journal.head
        let target = RecordingTarget()
        _ = bench.subscribe(target)
        bench.run()
        #expect(target.words == ["caughtUp \(head)"])
        bench.gateway.end()
        bench.run()
        #expect(target.words.last == "record \(head + 1) after \(head)")
    }

    @Test("The mark of a completion itself is told to nobody")
    func completingIsSilent() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        let target = RecordingTarget()
        _ = bench.subscribe(target)
        bench.run()
        target.clear()
        bench.finish(id)
        bench.run()
        #expect(target.deliveries.isEmpty)
    }

    @Test("A long queue is redelivered in bounded batches, one per turn, and then caught up")
    func batches() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(120)
        let head = bench.journal.head
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        #expect(
            target.words == [
                "redelivery of 50 at \(head)", "redelivery of 50 at \(head)",
                "redelivery of 20 at \(head)", "caughtUp \(head)",
            ])
    }

    @Test("A long log is read in pages, and what happens meanwhile follows without a seam")
    func pages() {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...10 { bench.addMany(100) }
        let target = RecordingTarget()
        var checker = StreamChecker(
            request: SubscriptionRequest(after: 0, isPassive: true), head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        _ = bench.subscribe(target, SubscriptionRequest(after: 0, isPassive: true))
        for _ in 1...5 {
            _ = bench.loop.runOne()
            bench.add()
        }
        bench.run()
        #expect(checker.findings.isEmpty)
        #expect(checker.known.count == 1005)
        #expect(checker.catchUps == 1)
    }

    @Test("The reply to subscribe goes before its first delivery, even if there is room at once")
    func replyFirst() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(1)
        let target = RecordingTarget()
        let reply = Replier()
        let subscription = bench.subscribe(target)
        bench.engine.turn.join(reply)
        target.onDelivery = { _ in #expect(reply.isReleased) }
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(!target.deliveries.isEmpty)
    }

    @Test("A redelivery never shows what the running turn has changed")
    func runningTurn() {
        let bench = EngineBench()
        bench.logIn()
        let ids = bench.addMany(120)
        let target = RecordingTarget()
        let subscription = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        while target.deliveries.isEmpty { _ = bench.loop.runOne() }
        var unseen: Set<TransactionID> = []
        bench.journal.onAppend = { record in
            if case .transaction(_, let transaction) = record.event {
                unseen.insert(transaction.id)
            }
        }
        bench.journal.onCommit = { _ in unseen = [] }
        target.onDelivery = { delivery in
            guard case .redelivery(let batch, _) = delivery else { return }
            #expect(unseen.isDisjoint(with: batch.map(\.id)))
            #expect(bench.journal.batch.isEmpty)
        }
        bench.finish(ids[60])
        bench.engine.store.sessions.logOut(origin: nil)
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(target.words.last?.hasPrefix("caughtUp") == true)
    }
}
