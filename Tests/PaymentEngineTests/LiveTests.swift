import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Live subscriptions")
struct LiveTests {
    @Test("A new session is told, then what it sees, then caughtUp, and only then orders leave")
    func sessionChange() {
        let bench = EngineBench()
        let ids = bench.addMany(2)
        let target = RecordingTarget()
        _ = bench.subscribe(target)
        bench.run()
        let head = bench.journal.head
        #expect(target.words == ["redelivery of 2 at \(head)", "caughtUp \(head)"])
        target.clear()
        var submissionsAtDelivery: [Int] = []
        target.onDelivery = { _ in submissionsAtDelivery.append(bench.gateway.submissions.count) }
        bench.logIn()
        #expect(
            target.words.prefix(3) == [
                "record \(head + 1) after \(head)", "redelivery of 2 at \(head + 1)",
                "caughtUp \(head + 1)",
            ])
        #expect(submissionsAtDelivery.prefix(3) == [0, 0, 0])
        #expect(bench.gateway.submissions.map(\.transaction) == ids)
    }

    @Test("What the new session does not see is not told, and comes back with its account")
    func hidden() {
        let bench = EngineBench()
        bench.logIn(Samples.anna)
        let id = bench.addMany(1)[0]
        let target = RecordingTarget()
        var checker = StreamChecker(
            request: SubscriptionRequest(isPassive: true), head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        bench.logIn(Samples.bert)
        target.clear()
        bench.finish(id)
        bench.run()
        #expect(target.deliveries.isEmpty)
        bench.logIn(Samples.anna)
        #expect(target.deliveries.count == 2)
        #expect(checker.findings.isEmpty)
        #expect(checker.catchUps == 3)
    }

    @Test("A change of session from before a subscription is history and doubles nothing")
    func oldSessions() {
        let bench = EngineBench()
        bench.logIn(Samples.anna)
        let cursor = bench.journal.head
        bench.addMany(2)
        bench.logIn(Samples.bert)
        bench.logIn(Samples.anna)
        for isPassive in [true, false] {
            let target = RecordingTarget()
            let request = SubscriptionRequest(
                after: cursor, products: [Samples.coins], isPassive: isPassive)
            var checker = StreamChecker(request: request, head: bench.journal.head)
            target.onDelivery = { checker.take($0) }
            _ = bench.subscribe(target, request)
            bench.run()
            #expect(checker.findings.isEmpty)
            #expect(checker.catchUps == 1)
            #expect(!target.words.contains { $0.hasPrefix("redelivery") })
        }
    }

    @Test("Who has no room is sent nothing, and then everything, in order")
    func slow() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        var checker = StreamChecker(request: SubscriptionRequest(), head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        let subscription = bench.subscribe(target)
        bench.run()
        target.roomFor = 0
        let count = target.deliveries.count
        for _ in 1...20 { bench.addMany(30) }
        #expect(target.deliveries.count == count)
        for room in [1, 7, 100, 300] {
            target.roomFor = room
            bench.engine.catchUp.resume(subscription)
            bench.run()
        }
        #expect(checker.known.count < 600)
        target.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(checker.known.count == 600)
        #expect(checker.findings.isEmpty)
        #expect(checker.last == bench.journal.head)
    }

    @Test("Room that ends within a turn ends the deliveries within it")
    func roomWithinTurn() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        let subscription = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        target.clear()
        target.roomFor = 3
        bench.addMany(10)
        #expect(target.deliveries.count == 3)
        target.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(target.deliveries.count == 10)
    }

    @Test("One slow reader holds up no other")
    func independence() {
        let bench = EngineBench()
        bench.logIn()
        let slow = RecordingTarget()
        let quick = RecordingTarget()
        _ = bench.subscribe(slow)
        _ = bench.subscribe(quick)
        bench.run()
        slow.roomFor = 0
        quick.clear()
        bench.addMany(10)
        #expect(quick.deliveries.count == 20)
    }

    @Test("A reader that trimming overtook is told of the gap and gets everything again")
    func gap() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        let request = SubscriptionRequest(isPassive: true)
        var checker = StreamChecker(request: request, head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        let subscription = bench.subscribe(target, request)
        bench.run()
        target.roomFor = 0
        bench.addMany(5)
        let head = bench.journal.head
        bench.journal.trim(upTo: head - 2)
        target.roomFor = nil
        target.clear()
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(
            target.words == [
                "gap \(head - 5)...\(head - 2)", "record \(head - 1) after \(head - 2)",
                "record \(head) after \(head - 1)", "redelivery of 3 at \(head)",
                "caughtUp \(head)",
            ])
        #expect(checker.findings.isEmpty)
        bench.addMany(1)
        #expect(target.words.last == "record \(head + 1) after \(head)")
    }

    @Test("A reader that wanted no gaps is ended by one")
    func gapEnds() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(5)
        bench.journal.trim(upTo: 4)
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(after: 2, onGap: .end))
        bench.run()
        #expect(target.words == ["ended 2, trimmed"])
        #expect(bench.engine.subscriptions.all.isEmpty)
        bench.addMany(1)
        #expect(target.words == ["ended 2, trimmed"])
        #expect(bench.gateway.submissions.isEmpty)
    }

    @Test("A reader that comes to a damaged file is told of the gap and goes on behind it")
    func damagedGap() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(5)
        let head = bench.journal.head
        bench.journal.damage = head - 3...head - 2
        let target = RecordingTarget()
        let request = SubscriptionRequest(after: head - 5, isPassive: true)
        var checker = StreamChecker(request: request, head: head)
        target.onDelivery = { checker.take($0) }
        _ = bench.subscribe(target, request)
        bench.run()
        #expect(
            target.words == [
                "record \(head - 4) after \(head - 5)", "gap \(head - 3)...\(head - 2), damaged",
                "record \(head - 1) after \(head - 2)", "record \(head) after \(head - 1)",
                "redelivery of 3 at \(head)", "caughtUp \(head)",
            ])
        #expect(checker.findings.isEmpty)
        bench.addMany(1)
        #expect(target.words.last == "record \(head + 1) after \(head)")
        let unwilling = RecordingTarget()
        _ = bench.subscribe(
            unwilling, SubscriptionRequest(after: head - 4, isPassive: true, onGap: .end))
        bench.run()
        #expect(unwilling.words == ["ended \(head - 4), unreadable"])
    }

    @Test("A search passes one damaged place, names it, and ends before the next")
    func damagedScan() throws {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(8)
        let head = bench.journal.head
        bench.journal.damage = head - 3...head - 2
        var scan = LogScan(after: head - 5, limit: 10, kinds: nil)
        while !bench.engine.reader.isDone(scan) { try bench.engine.reader.advance(&scan) }
        #expect(scan.gap == head - 3...head - 2)
        #expect(scan.records.map(\.sequence) == [head - 4, head - 1, head])
        #expect(scan.position == head)
        var second = LogScan(after: head - 5, limit: 10, kinds: nil)
        bench.journal.damage = head - 4...head - 4
        try bench.engine.reader.advance(&second)
        bench.journal.damage = head - 3...head - 2
        while !bench.engine.reader.isDone(second) { try bench.engine.reader.advance(&second) }
        #expect(second.gap == head - 4...head - 4 && second.isFull)
        #expect(second.records.isEmpty && second.position == head - 4)
    }

    @Test("An engine whose log is only read serves it, takes nothing and asks nothing of the store")
    func readOnly() throws {
        let life = EngineBench.busy()
        let id = life.addMany(3)[0]
        let bench = EngineBench(durable: life.journal.durable, isReadOnly: true)
        let head = bench.journal.head
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(after: head - 2))
        bench.run()
        #expect(target.words.last == "caughtUp \(head)")
        #expect(target.words.first?.hasPrefix("record \(head - 1)") == true)
        let request = AddRequest(productIdentifier: Samples.coins, key: nil)
        let refusals: [() throws -> Void] = [
            { _ = try bench.engine.commands.add(request, origin: Samples.origin) },
            { try bench.engine.commands.check(request, origin: Samples.origin) },
            { _ = try bench.engine.commands.finish(id, origin: Samples.origin) },
            {
                _ = try bench.engine.commands.acknowledge(
                    "name", upTo: head, origin: Samples.origin)
            },
        ]
        for refusal in refusals {
            let error = try #require(throws: EngineRefusal.self) { try refusal() }
            guard case .readOnly = error else {
                Issue.record("\(error)")
                continue
            }
        }
        bench.loop.advance(by: .seconds(100_000))
        bench.run()
        #expect(bench.journal.head == head && bench.journal.batch.isEmpty)
        #expect(bench.gateway.submissions.isEmpty && bench.failures.isEmpty)
        bench.engine.stop()
        #expect(bench.journal.head == head)
    }

    @Test("A log that cannot be read ends the subscriptions that need it, and nobody else's")
    func unreadable() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(5)
        bench.journal.isUnreadable = true
        let reader = RecordingTarget()
        let live = RecordingTarget()
        _ = bench.subscribe(live, SubscriptionRequest(isPassive: true))
        _ = bench.subscribe(reader, SubscriptionRequest(after: 1))
        bench.run()
        #expect(reader.words == ["ended 1, unreadable"])
        bench.addMany(1)
        #expect(live.words.last?.hasPrefix("record") == true)
        #expect(bench.failures.isEmpty)
    }

    @Test("Heartbeats say how far the log was read, while there is room, until the end")
    func heartbeats() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        let request = SubscriptionRequest(
            kinds: [.transactionsRemoved], isPassive: true, heartbeat: .seconds(10))
        let subscription = bench.subscribe(target, request)
        bench.run()
        target.clear()
        bench.addMany(1)
        let head = bench.journal.head
        bench.loop.advance(by: .seconds(10))
        #expect(target.words == ["heartbeat \(head)"])
        target.roomFor = 0
        bench.loop.advance(by: .seconds(30))
        target.roomFor = nil
        bench.loop.advance(by: .seconds(10))
        #expect(target.words == ["heartbeat \(head)", "heartbeat \(head)"])
        bench.engine.subscriptions.unsubscribe(subscription)
        bench.loop.advance(by: .seconds(60))
        #expect(target.deliveries.count == 2)
    }

    @Test("Nothing is delivered after unsubscribing, whatever was under way")
    func unsubscribe() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(120)
        let target = RecordingTarget()
        let subscription = bench.subscribe(target)
        while target.deliveries.isEmpty { _ = bench.loop.runOne() }
        let count = target.deliveries.count
        bench.add()
        bench.engine.subscriptions.unsubscribe(subscription)
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(target.deliveries.count == count)
        #expect(subscription.isEnded)
    }

    @Test("Pulled records are the visible ones, and the position says how far was read")
    func pulled() throws {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(3)
        bench.logIn(Samples.bert)
        let head = bench.journal.head
        let all = try bench.engine.visibleRecords(after: 0, limit: 100, kinds: nil)
        #expect(all.scanned == head)
        #expect(all.records.count == 2)
        let two = try bench.engine.visibleRecords(after: 0, limit: 1, kinds: nil)
        #expect(two.records.map(\.sequence) == [two.scanned])
        bench.logIn(Samples.anna)
        let added = try bench.engine.visibleRecords(
            after: 0, limit: 100, kinds: [.transactionsUpdated])
        #expect(added.records.count == 3)
        let none = try bench.engine.visibleRecords(after: added.scanned, limit: 5, kinds: nil)
        #expect(none.records.isEmpty)
    }
}
