import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Readers that are behind")
struct CatchingUpTests {
    @Test("Readers take turns, a page each, however far behind they are")
    func fairness() {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...10 { bench.addMany(200) }
        let targets = (0..<3).map { _ in RecordingTarget() }
        var widest = 0
        for target in targets {
            target.onDelivery = { _ in
                let counts = targets.map(\.deliveries.count)
                widest = max(widest, (counts.max() ?? 0) - (counts.min() ?? 0))
            }
            _ = bench.subscribe(target, SubscriptionRequest(after: 0, isPassive: true))
        }
        bench.run()
        #expect(targets.allSatisfy { $0.deliveries.count == 2002 })
        #expect(widest <= 129)
    }

    @Test("A reader comes on although every look finds a turn running")
    func busy() {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...10 { bench.addMany(100) }
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(after: 0, isPassive: true))
        for _ in 1...60 {
            bench.add()
            _ = bench.loop.runOne()
        }
        #expect(target.deliveries.count > 500)
    }

    @Test(
        "Who took what fitted of a large turn gets the rest without having to ask, nor a look at the log",
        arguments: [true, false])
    func largeTurn(isReadable: Bool) {
        let bench = EngineBench()
        bench.logIn()
        let target = NarrowSink(room: 3)
        _ = bench.engine.subscriptions.subscribe(
            SubscriptionRequest(isPassive: true), target: target)
        bench.run()
        bench.journal.isUnreadable = !isReadable
        target.sequences = []
        bench.addMany(40)
        let head = bench.journal.head
        #expect(target.sequences == Array(head - 39...head))
    }

    @Test("Unfinished transactions come before what is bought in the turn of the subscription")
    func olderFirst() {
        let bench = EngineBench()
        bench.logIn()
        bench.add()
        bench.run()
        let target = RecordingTarget()
        let head = bench.journal.head
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.add()
        bench.run()
        let next = bench.journal.head
        #expect(
            target.words == [
                "redelivery of 1 at \(head)", "record \(next) after \(head)", "caughtUp \(next)",
            ])
    }

    @Test("A change of session is followed by what the new session sees, then by later records")
    func sessionFirst() {
        let bench = EngineBench()
        bench.logIn()
        bench.add()
        bench.run()
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(after: 0, isPassive: true))
        bench.run()
        bench.engine.store.sessions.logOut(origin: Samples.origin)
        bench.run()
        let before = target.words.count
        bench.gateway.isAnswering = true
        bench.engine.store.sessions.logIn(
            account: Samples.anna, credential: nil, origin: Samples.origin
        ) { _ in }
        while bench.engine.queue.session == nil, bench.loop.runOne() {}
        bench.add()
        bench.run()
        let words = target.words.dropFirst(before).map { $0.prefix { $0 != " " } }
        #expect(words == ["record", "redelivery", "record", "caughtUp"])
    }

    @Test("Trimming in the middle of a long replay leaves one gap, and everything unfinished comes")
    func trimming() {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...5 { bench.addMany(100) }
        let target = RecordingTarget()
        let request = SubscriptionRequest(after: 0, isPassive: true)
        var checker = StreamChecker(request: request, head: bench.journal.head)
        target.onDelivery = { checker.take($0) }
        target.roomFor = 150
        let subscription = bench.subscribe(target, request)
        bench.run()
        #expect(checker.known.count == 149)
        bench.journal.trim(upTo: bench.journal.head - 100)
        target.roomFor = nil
        bench.engine.catchUp.resume(subscription)
        bench.run()
        #expect(checker.findings.isEmpty)
        #expect(checker.known.count == 500)
        #expect(target.words.count { $0.hasPrefix("gap") } == 1)
        let kept = target.words.drop { !$0.hasPrefix("gap") }.dropFirst().prefix(100)
        #expect(kept.count == 100)
        #expect(kept.allSatisfy { $0.hasPrefix("record") })
    }

    @Test("A silent reader costs the engine no page and no delivery")
    func silent() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        let subscription = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        target.roomFor = 0
        let count = target.deliveries.count
        let scanned = subscription.scanned
        bench.addMany(300)
        bench.engine.catchUp.resume(subscription)
        let works = bench.loop.workCount
        bench.run()
        #expect(bench.loop.workCount - works <= 1)
        #expect(target.deliveries.count == count)
        #expect(subscription.scanned == scanned)
    }

    @Test("A redelivery of long texts is cut into batches by their bytes")
    func longTexts() {
        let bench = EngineBench()
        bench.logIn()
        let token = OpaqueText(String(repeating: "x", count: 20_000))
        for _ in 1...10 {
            let request = AddRequest(productIdentifier: Samples.coins, appAccountToken: token)
            _ = try? bench.engine.commands.add(request, origin: Samples.origin)
        }
        bench.run()
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true))
        bench.run()
        let head = bench.journal.head
        #expect(
            target.words == [
                "redelivery of 4 at \(head)", "redelivery of 4 at \(head)",
                "redelivery of 2 at \(head)", "caughtUp \(head)",
            ])
    }

    @Test("A heartbeat comes after silence, not beside events")
    func heartbeat() {
        let bench = EngineBench()
        bench.logIn()
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(isPassive: true, heartbeat: .seconds(10)))
        bench.run()
        target.clear()
        for _ in 1...5 {
            bench.loop.advance(by: .seconds(8))
            bench.addMany(1)
        }
        #expect(target.words.allSatisfy { $0.hasPrefix("record") })
        bench.loop.advance(by: .seconds(10))
        #expect(target.words.last == "heartbeat \(bench.journal.head)")
        #expect(target.words.count == 6)
    }

    @Test("What is about no product passes a filter on products, what is about another does not")
    func products() {
        let session = Session(account: Samples.anna, country: Samples.germany)
        let revocation = Revocation(
            account: Samples.anna, products: [Samples.book], orders: [Samples.order(1)])
        let kept = Revocation(account: Samples.anna, products: [], orders: [Samples.order(2)])
        let events: [Event] = [
            .started(incarnation: 1), .sessionChanged(from: nil, to: session),
            .productsChanged(revision: 1), .entitlementsRevoked(revocation),
            .entitlementsRevoked(kept),
        ]
        let durable = events.enumerated().map { index, event in
            Record(sequence: UInt64(index + 1), time: Samples.noon, origin: nil, event: event)
        }
        let bench = EngineBench(durable: durable)
        for (product, seen) in [(Samples.coins, [2, 3, 5]), (Samples.book, [2, 3, 4, 5])] {
            let target = RecordingTarget()
            let request = SubscriptionRequest(after: 0, products: [product], isPassive: true)
            _ = bench.subscribe(target, request)
            bench.run()
            let words = zip(seen, [0] + seen).map { "record \($0) after \($1)" }
            #expect(Array(target.words.dropLast()) == words)
            #expect(target.words.last == "caughtUp 5")
        }
    }

    @Test("A search for rare events reads the log in pieces and finds them")
    func pulling() throws {
        let bench = EngineBench()
        bench.logIn()
        for _ in 1...50 { bench.addMany(100) }
        bench.engine.store.sessions.logOut(origin: nil)
        bench.run()
        let head = bench.journal.head
        var scan = LogScan(after: 10, limit: 10, kinds: [.storefrontChanged])
        var slices = 0
        while !bench.engine.reader.isDone(scan) {
            let before = scan.position
            try bench.engine.reader.advance(&scan)
            #expect(scan.position > before)
            #expect(scan.position - before <= 300)
            slices += 1
        }
        #expect(slices > 10)
        #expect(scan.records.map(\.sequence) == [head])
        bench.logIn()
        let small = try bench.engine.visibleRecords(after: 2, limit: 100, kinds: nil, bytes: 5000)
        #expect(small.records.count > 1)
        #expect(small.records.count < 10)
        #expect(small.records.last?.sequence == small.scanned)
    }

    @Test("Who waits for records behind a place that has some is answered without another record")
    func waiting() {
        let bench = EngineBench()
        var answers = 0
        _ = bench.engine.reader.waitForRecord(after: 0) { answers += 1 }
        let cancelled = bench.engine.reader.waitForRecord(after: 0) { answers += 100 }
        bench.engine.reader.cancel(cancelled)
        bench.run()
        #expect(answers == 1)
        bench.logIn()
        #expect(answers == 1)
    }
}

/// A peer that takes so many deliveries at a time and reads them at once when they are flushed.
private final class NarrowSink: DeliveryTarget {
    var sequences: [SequenceNumber] = []
    private let room: Int
    private var left: Int

    init(room: Int) {
        self.room = room
        left = room
    }

    var hasRoom: Bool { left > 0 }
    var user: UInt32 { 1000 }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        left -= 1
        if case .record(let record, _) = delivery { sequences.append(record.sequence) }
    }

    func flushDeliveries() {
        left = room
    }
}
