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
        let sink = RecordingSink()
        var submissionsAtDelivery: [Int] = []
        sink.onDelivery = { _ in submissionsAtDelivery.append(bench.gateway.submissions.count) }
        _ = bench.subscribe(sink)
        bench.run()
        #expect(sink.words.prefix(2) == ["redelivery of 3 at \(head)", "caughtUp \(head)"])
        #expect(sink.words.dropFirst(2).first == "record \(head + 1) after \(head)")
        #expect(submissionsAtDelivery.prefix(3) == [0, 0, 0])
        #expect(bench.gateway.submissions.map(\.transaction) == ids)
    }

    @Test("Nothing leaves for a session that the only observer, who had no room, has not heard of")
    func lateForSession() {
        let bench = EngineBench()
        let sink = RecordingSink()
        let subscription = bench.subscribe(sink)
        bench.run()
        let id = bench.addMany(1)[0]
        sink.roomFor = 0
        bench.logIn()
        bench.loop.advance(by: .seconds(60))
        // Nor does anybody else's coming and going make it count.
        let passive = bench.subscribe(RecordingSink(), SubscriptionRequest(isPassive: true))
        bench.run()
        bench.engine.subscriptions.unsubscribe(passive)
        bench.run()
        #expect(bench.gateway.submissions.isEmpty)
        sink.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(bench.gateway.submissions.map(\.transaction) == [id])
        #expect(sink.words.last?.hasPrefix("record") == true)
    }

    @Test("A cursor gets the records behind it and redelivery of what it skips")
    func cursor() {
        let bench = EngineBench()
        bench.logIn()
        let old = bench.addMany(2)
        let cursor = bench.journal.head
        let new = bench.addMany(2)
        let head = bench.journal.head
        let sink = RecordingSink()
        _ = bench.subscribe(sink, SubscriptionRequest(after: cursor, isPassive: false))
        bench.run()
        #expect(
            sink.words.prefix(4) == [
                "record \(head - 1) after \(cursor)", "record \(head) after \(head - 1)",
                "redelivery of 2 at \(head)", "caughtUp \(head)",
            ])
        guard case .redelivery(let batch, _) = sink.deliveries[2] else {
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
            let sink = RecordingSink()
            _ = bench.subscribe(sink, SubscriptionRequest(after: after, isPassive: isPassive))
            bench.run()
            #expect(sink.words == expected)
        }
        let sink = RecordingSink()
        let subscription = bench.subscribe(sink, SubscriptionRequest(after: 0, isPassive: true))
        bench.run()
        // The session, three acceptances; the start and the product are nobody's business.
        #expect(sink.words.count == 5)
        #expect(sink.words.last == "caughtUp \(head)")
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
        _ = bench.subscribe(RecordingSink(), request)
        bench.run()
        #expect(bench.gateway.submissions.isEmpty)
        #expect(bench.add().waitingFor == .observer)
    }

    @Test("When the last observer leaves, nothing new is sent")
    func lastObserver() {
        let bench = EngineBench()
        bench.logIn()
        let one = bench.engine.start(observer: RecordingSink())
        let other = bench.engine.start(observer: RecordingSink())
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
        let sinks = [RecordingSink(), RecordingSink(), RecordingSink()]
        let requests = [
            SubscriptionRequest(products: [Samples.pass], isPassive: true),
            SubscriptionRequest(kinds: [.transactionsRemoved], isPassive: true),
            SubscriptionRequest(kinds: [.storefrontChanged], isPassive: true),
        ]
        for (sink, request) in zip(sinks, requests) { _ = bench.subscribe(sink, request) }
        bench.run()
        let head = bench.journal.head
        bench.finish(coins)
        bench.finish(pass)
        bench.run()
        bench.engine.logOut(origin: nil)
        bench.run()
        #expect(
            sinks[0].words == [
                "redelivery of 1 at \(head)", "caughtUp \(head)",
                "record \(head + 2) after \(head)", "record \(head + 3) after \(head + 2)",
                "caughtUp \(head + 3)",
            ])
        #expect(
            sinks[1].words == [
                "caughtUp \(head)", "record \(head + 1) after \(head)",
                "record \(head + 2) after \(head + 1)", "caughtUp \(head + 2)",
            ])
        #expect(
            sinks[2].words == [
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
        let sink = RecordingSink()
        _ = bench.subscribe(sink)
        bench.run()
        #expect(sink.words == ["caughtUp \(head)"])
        bench.gateway.end()
        bench.run()
        #expect(sink.words.last == "record \(head + 1) after \(head)")
    }

    @Test("The mark of a completion itself is told to nobody")
    func completingIsSilent() {
        let bench = EngineBench.busy()
        let id = bench.addMany(1)[0]
        bench.gateway.end()
        bench.run()
        let sink = RecordingSink()
        _ = bench.subscribe(sink)
        bench.run()
        sink.clear()
        bench.finish(id)
        bench.run()
        #expect(sink.deliveries.isEmpty)
    }

    @Test("A long queue is redelivered in bounded batches, one per turn, and then caught up")
    func batches() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(120)
        let head = bench.journal.head
        let sink = RecordingSink()
        _ = bench.subscribe(sink, SubscriptionRequest(isPassive: true))
        bench.run()
        #expect(
            sink.words == [
                "redelivery of 50 at \(head)", "redelivery of 50 at \(head)",
                "redelivery of 20 at \(head)", "caughtUp \(head)",
            ])
    }

    @Test("A long log is read in pages, and what happens meanwhile follows without a seam")
    func pages() {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...10 { bench.addMany(100) }
        let sink = RecordingSink()
        var checker = StreamChecker(
            request: SubscriptionRequest(after: 0, isPassive: true), head: bench.journal.head)
        sink.onDelivery = { checker.take($0) }
        _ = bench.subscribe(sink, SubscriptionRequest(after: 0, isPassive: true))
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
        let sink = RecordingSink()
        let reply = Replier()
        let subscription = bench.subscribe(sink)
        bench.engine.turn.join(reply)
        sink.onDelivery = { _ in #expect(reply.isReleased) }
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(!sink.deliveries.isEmpty)
    }

    @Test("A redelivery never shows what the running turn has changed")
    func runningTurn() {
        let bench = EngineBench()
        bench.logIn()
        let ids = bench.addMany(120)
        let sink = RecordingSink()
        let subscription = bench.subscribe(sink, SubscriptionRequest(isPassive: true))
        while sink.deliveries.isEmpty { _ = bench.loop.runOne() }
        var unseen: Set<TransactionID> = []
        bench.journal.onAppend = { record in
            if case .transaction(_, let transaction) = record.event {
                unseen.insert(transaction.id)
            }
        }
        bench.journal.onCommit = { _ in unseen = [] }
        sink.onDelivery = { delivery in
            guard case .redelivery(let batch, _) = delivery else { return }
            #expect(unseen.isDisjoint(with: batch.map(\.id)))
            #expect(bench.journal.batch.isEmpty)
        }
        bench.finish(ids[60])
        bench.engine.logOut(origin: nil)
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(sink.words.last?.hasPrefix("caughtUp") == true)
    }
}
