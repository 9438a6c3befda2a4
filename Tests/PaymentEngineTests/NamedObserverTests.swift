import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

@Suite("Named durable observers")
struct NamedObserverTests {
    private static let books: OpaqueText = "books"

    private static func request(
        after: SequenceNumber? = nil, name: OpaqueText = books,
        onGap: SubscriptionRequest.GapPolicy = .snapshot
    ) -> SubscriptionRequest {
        SubscriptionRequest(after: after, isPassive: false, onGap: onGap, name: name)
    }

    @Test("A new name begins at the head, and the record of it says who asked")
    func newName() {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(2)
        let head = bench.journal.head
        let target = RecordingTarget()
        _ = bench.engine.subscriptions.subscribe(
            Self.request(), target: target, origin: Samples.origin)
        #expect(bench.engine.subscriptions.isNameInUse(Self.books))
        bench.run()
        let record = bench.journal.durable.first { $0.sequence > head }
        #expect(record?.event == .acknowledged(observer: Self.books, upTo: head))
        #expect(record?.origin == Samples.origin)
        #expect(target.words.prefix(2) == ["redelivery of 2 at \(head)", "caughtUp \(head)"])
    }

    @Test("A name without an owner does not become that of one who acknowledges for others")
    func withoutOwner() throws {
        let bench = EngineBench()
        // As in a snapshot of an older version.
        let old = bench.engine.subscriptions.subscribe(Self.request(), target: RecordingTarget())
        bench.run()
        bench.engine.subscriptions.unsubscribe(old)
        bench.logIn()
        let root = Origin(uid: 0, connection: 1, request: 1)
        let head = bench.journal.head
        let acked = try bench.engine.commands.acknowledge(
            Self.books, upTo: head, origin: root, mayActForOthers: true)
        bench.run()
        #expect(acked == head)
        #expect(bench.engine.queue.namedObservers.map(\.owner) == [nil])
        #expect(bench.engine.queue.isKnown(Self.books, to: 1000))
        _ = try bench.engine.commands.acknowledge(
            Self.books, upTo: head, origin: Origin(uid: 1000, connection: 2, request: 1))
        bench.run()
        #expect(bench.engine.queue.namedObservers.map(\.owner) == [1000])
        let next = try bench.engine.commands.acknowledge(
            Self.books, upTo: bench.journal.head, origin: root, mayActForOthers: true)
        bench.run()
        #expect(next > head)
        #expect(bench.journal.durable.last?.origin == root)
        #expect(bench.engine.queue.namedObservers.map(\.owner) == [1000])
    }

    @Test("It comes back at what it acknowledged, also after a restart, unless it says otherwise")
    func resumes() throws {
        let first = EngineBench()
        first.logIn()
        first.addMany(1)
        let one = first.engine.subscriptions.subscribe(Self.request(), target: RecordingTarget())
        first.run()
        let acked = first.journal.head
        #expect(
            try first.engine.commands.acknowledge(Self.books, upTo: acked, origin: nil) == acked)
        first.engine.subscriptions.unsubscribe(one)
        #expect(!first.engine.subscriptions.isNameInUse(Self.books))
        first.addMany(2)
        let bench = first.restarted()
        #expect(bench.engine.queue.acknowledged(by: Self.books) == acked)
        for after in [nil, SequenceNumber(0)] {
            let target = RecordingTarget()
            var resolved = Self.request(after: after ?? acked)
            resolved.isPassive = true
            var checker = StreamChecker(request: resolved, head: bench.journal.head)
            target.onDelivery = { checker.take($0) }
            var request = Self.request(after: after)
            request.isPassive = true
            let again = bench.engine.subscriptions.subscribe(request, target: target)
            bench.run()
            #expect(checker.findings.isEmpty)
            #expect(checker.known.count == (after == nil ? 2 : 3))
            bench.engine.subscriptions.unsubscribe(again)
        }
    }

    @Test("An acknowledgement goes forwards only, and one that changes nothing leaves no record")
    func forwards() throws {
        let bench = EngineBench()
        bench.logIn()
        bench.addMany(3)
        _ = bench.engine.subscriptions.subscribe(Self.request(after: 1), target: RecordingTarget())
        bench.run()
        let head = bench.journal.head
        #expect(
            try bench.engine.commands.acknowledge(Self.books, upTo: head - 1, origin: nil) == head
                - 1)
        bench.run()
        let records = bench.journal.durable.count
        for position in [head - 1, 2, 0] {
            #expect(
                try bench.engine.commands.acknowledge(Self.books, upTo: position, origin: nil)
                    == head - 1)
        }
        bench.run()
        #expect(bench.journal.durable.count == records)
    }

    @Test("What lies ahead of the log is not acknowledged, nor by a name that nobody knows")
    func refusals() throws {
        let bench = EngineBench()
        let subscription = bench.engine.subscriptions.subscribe(
            Self.request(), target: RecordingTarget())
        bench.run()
        let head = bench.engine.queue.head
        #expect(throws: EngineRefusal.refused(.cursorAhead(head))) {
            try bench.engine.commands.acknowledge(Self.books, upTo: head + 1, origin: nil)
        }
        #expect(throws: EngineRefusal.refused(.unknownObserver("nobody"))) {
            try bench.engine.commands.acknowledge("nobody", upTo: 0, origin: nil)
        }
        bench.journal.isShortOfSpace = true
        #expect(throws: EngineRefusal.outOfSpace(Room(shortage: .bytes))) {
            try bench.engine.commands.acknowledge(Self.books, upTo: head, origin: nil)
        }
        #expect(throws: EngineRefusal.outOfSpace(Room(shortage: .bytes))) {
            try bench.engine.commands.admit("another", user: nil)
        }
        #expect(throws: EngineRefusal.refused(.nameInUse(Self.books))) {
            try bench.engine.commands.admit(Self.books, user: nil)
        }
        bench.engine.subscriptions.unsubscribe(subscription)
        try bench.engine.commands.admit(Self.books, user: nil)
    }

    @Test("Whose records were trimmed is told of the gap, or ended, as it asked")
    func trimmed() throws {
        let bench = EngineBench()
        bench.logIn()
        let one = bench.engine.subscriptions.subscribe(Self.request(), target: RecordingTarget())
        bench.run()
        let acked = bench.journal.head
        _ = try bench.engine.commands.acknowledge(Self.books, upTo: acked, origin: nil)
        bench.engine.subscriptions.unsubscribe(one)
        bench.addMany(6)
        let head = bench.journal.head
        bench.journal.trim(upTo: head - 2)
        let ended = RecordingTarget()
        _ = bench.engine.subscriptions.subscribe(Self.request(onGap: .end), target: ended)
        bench.run()
        #expect(ended.words == ["ended \(acked), trimmed"])
        let told = RecordingTarget()
        _ = bench.engine.subscriptions.subscribe(Self.request(), target: told)
        bench.run()
        #expect(
            told.words.prefix(5) == [
                "gap \(acked + 1)...\(head - 2)", "record \(head - 1) after \(head - 2)",
                "record \(head) after \(head - 1)", "redelivery of 4 at \(head)",
                "caughtUp \(head)",
            ])
    }

    @Test("There are as many names as there may be, and those that are known have their room")
    func room() throws {
        let bench = EngineBench()
        let limit = Limits().namedObservers
        for number in 0..<limit {
            let name = OpaqueText("observer \(number)")
            try bench.engine.commands.admit(name, user: nil)
            let subscription = bench.engine.subscriptions.subscribe(
                Self.request(name: name), target: RecordingTarget())
            bench.engine.subscriptions.unsubscribe(subscription)
        }
        bench.run()
        let full = Refusal.shareExceeded(.namedObservers, number: limit, share: nil)
        #expect(throws: EngineRefusal.refused(full)) {
            try bench.engine.commands.admit("one more", user: nil)
        }
        try bench.engine.commands.admit("observer 7", user: nil)
    }

    @Test("A name that is not used is forgotten in time, one that is used gives a sign of life")
    func forgotten() {
        let day: Int64 = 86_400
        let old = Samples.noon.advanced(bySeconds: -100 * day)
        let events: [Event] = [
            .started(incarnation: 1), .acknowledged(observer: "idle", upTo: 1),
            .acknowledged(observer: Self.books, upTo: 1),
        ]
        let durable = events.enumerated().map { index, event in
            Record(sequence: UInt64(index + 1), time: old, origin: nil, event: event)
        }
        let bench = EngineBench(durable: durable)
        _ = bench.engine.subscriptions.subscribe(Self.request(), target: RecordingTarget())
        bench.run()
        bench.engine.commands.forget(before: Samples.noon.advanced(bySeconds: -90 * day))
        bench.run()
        #expect(bench.engine.queue.namedObservers.map(\.name) == [Self.books])
        #expect(bench.engine.queue.acknowledged(by: Self.books) == 1)
        let count = bench.journal.durable.count
        bench.engine.commands.forget(before: Samples.noon.advanced(bySeconds: -90 * day))
        bench.run()
        #expect(bench.journal.durable.count == count, "there is nothing more to forget")
    }
}
