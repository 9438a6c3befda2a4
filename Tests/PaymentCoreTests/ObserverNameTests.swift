import PaymentTesting
import Testing

@testable import PaymentCore

@Suite("Names of observers belong to users")
struct ObserverNameTests {
    private static let anna: UInt32 = 1000
    private static let bert: UInt32 = 1001

    @Test("Only the user who used a name first acknowledges for it, and an administrator")
    func owner() throws {
        var bench = Bench()
        bench.origin = Origin(uid: Self.anna, connection: 1, request: 1)
        bench.subscribe("books")
        bench.add()
        #expect(bench.acknowledge("books", 1) == nil)
        bench.origin = Origin(uid: Self.bert, connection: 2, request: 1)
        #expect(bench.acknowledge("books", 2) == .notOwner("books"))
        #expect(bench.forget("books") == .notOwner("books"))
        #expect(bench.acknowledge("nobody", 2) == .unknownObserver("nobody"))
        #expect(bench.queue.acknowledged(by: "books") == 1)
        #expect(bench.acknowledge("books", 2, asAdministrator: true) == nil)
        #expect(bench.queue.acknowledged(by: "books") == 2)
        #expect(bench.queue.namedObservers.map(\.owner) == [Self.anna])
        bench.origin = Origin(uid: Self.anna, connection: 1, request: 2)
        #expect(bench.acknowledge("books", 3) == nil)
    }

    @Test("A name that was given up belongs to the next user, and has no position")
    func givenUp() throws {
        var bench = Bench()
        bench.subscribe("books")
        #expect(bench.forget("books") == nil)
        #expect(bench.queue.acknowledged(by: "books") == nil)
        #expect(bench.queue.share(of: .namedObservers) == Share())
        #expect(bench.forget("books") == .unknownObserver("books"))
        bench.origin = Origin(uid: Self.bert, connection: 2, request: 1)
        bench.subscribe("books")
        #expect(bench.queue.namedObservers.map(\.owner) == [Self.bert])
        #expect(bench.queue.isKnown("books", to: Self.bert))
        #expect(!bench.queue.isKnown("books", to: Self.anna))
        var replayed = PaymentQueue()
        for record in bench.records { try replayed.apply(record) }
        #expect(replayed.namedObservers == bench.queue.namedObservers)
    }

    @Test("A name of an older version belongs to the first user who uses it")
    func ofOlderVersion() throws {
        for bySubscribing in [true, false] {
            var bench = Bench()
            try bench.queue.load(.observer("books", upTo: 0, at: bench.time))
            #expect(bench.queue.namedObservers.map(\.owner) == [nil])
            #expect(bench.queue.share(of: .namedObservers)?.total == 1)
            bench.origin = nil
            bench.subscribe("books")
            #expect(bench.records.isEmpty, "no client has used it")
            bench.origin = Origin(uid: Self.bert, connection: 2, request: 1)
            if bySubscribing {
                bench.subscribe("books")
            } else {
                #expect(bench.acknowledge("books", 0) == nil)
            }
            #expect(bench.records.count == 1)
            #expect(bench.queue.namedObservers.map(\.owner) == [Self.bert])
            #expect(bench.queue.share(of: .namedObservers)?.held == [Self.bert: 1])
            bench.subscribe("books")
            #expect(bench.records.count == 1)
            bench.origin = Origin(uid: Self.anna, connection: 1, request: 1)
            #expect(bench.acknowledge("books", 0) == .notOwner("books"))
        }
    }

    @Test("A record that gives up an unknown name is illegal")
    func illegal() {
        var queue = PaymentQueue()
        #expect(throws: IllegalRecord.self) {
            try queue.apply(
                Record(
                    sequence: 1, time: Samples.noon, origin: nil,
                    event: .observerForgotten("books")))
        }
    }
}

extension Bench {
    /// Subscribes with a name, as the engine records it.
    fileprivate mutating func subscribe(_ name: OpaqueText) {
        var events: [Event] = []
        queue.decideObserver(name, from: 0, context, events: &events)
        apply(events)
    }

    /// The refusal of an acknowledgement; nil if it is accepted.
    fileprivate mutating func acknowledge(
        _ name: OpaqueText, _ position: SequenceNumber, asAdministrator: Bool = false
    ) -> Refusal? {
        var events: [Event] = []
        do throws(Refusal) {
            try queue.decideAcknowledgement(
                by: name, upTo: position, mayActForOthers: asAdministrator, context,
                events: &events)
        } catch {
            return error
        }
        apply(events)
        return nil
    }

    /// The refusal of giving a name up; nil if it is accepted.
    fileprivate mutating func forget(_ name: OpaqueText) -> Refusal? {
        var events: [Event] = []
        do throws(Refusal) {
            try queue.decideForgetting(name, context, events: &events)
        } catch {
            return error
        }
        apply(events)
        return nil
    }
}
