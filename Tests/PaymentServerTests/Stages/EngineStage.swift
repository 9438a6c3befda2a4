import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON

/// The engine alone with its store: no connection, no thread, time that moves when nothing else
/// does.
final class EngineStage: Stage {
    let store: SteppedStore
    private(set) var loop = ManualLoop()
    private(set) var engine: PaymentEngine
    private var journal: RecordingJournal

    init() throws {
        store = try SteppedStore()
        journal = RecordingJournal()
        engine = Self.engine(PaymentQueue(), journal, store, loop)
        begin()
    }

    func client() -> Client {
        Client(EngineWire(self))
    }

    func restart(germanPrice: String?) throws {
        engine.stop()
        if let germanPrice { try store.reopen(germanPrice: germanPrice) }
        try kill()
    }

    func kill() throws {
        loop.stop()
        loop = ManualLoop()
        journal = RecordingJournal(durable: journal.durable)
        var queue = PaymentQueue()
        for record in journal.durable { try queue.apply(record) }
        queue.didLoad(upTo: journal.head)
        engine = Self.engine(queue, journal, store, loop)
        begin()
    }

    func pass(seconds: Int) {
        for _ in 0..<(seconds * 4) { advance() }
    }

    func forgetLog() {
        journal.trim(upTo: journal.head)
    }

    /// Runs everything that is ready, here and at the store.
    func runUntilIdle() {
        repeat {
            store.loop.runUntilIdle()
            loop.runUntilIdle()
        } while store.loop.readyCount > 0
    }

    /// Lets a quarter of a second pass.
    func advance() {
        store.loop.advance(by: .milliseconds(250))
        loop.advance(by: .milliseconds(250))
        runUntilIdle()
    }

    private func begin() {
        engine.loadCatalogue(of: Samples.germany)
        engine.start()
        runUntilIdle()
    }

    private static func engine(
        _ queue: PaymentQueue, _ journal: RecordingJournal, _ store: SteppedStore,
        _ loop: ManualLoop
    ) -> PaymentEngine {
        // The identifiers of a later life must be others than those of the life before.
        let seed = UInt64(journal.durable.count) + 1
        return PaymentEngine(
            queue: queue, journal: journal, gateway: store.gateway(for: loop), loop: loop,
            sources: Samples.sources(seed: seed), defaultCountry: Samples.germany,
            log: Samples.log, onFailure: { _ in })
    }
}

/// A client whose requests are handed to the engine without a server in between.
///
/// Replies are kept until the turn is durable, as every holder of replies must.
final class EngineWire: Wire {
    let stage: EngineStage
    var subscriptions: [Subscription] = []
    private var held: [JSONValue] = []
    private var inbox: [JSONValue] = []

    init(_ stage: EngineStage) {
        self.stage = stage
    }

    func send(_ line: String) throws {
        let request = try JSONValue(parsing: line)
        guard let id = request["id"], let method = request["method"]?.stringValue else {
            throw Unexpected("the engine takes requests only: \(line)")
        }
        let params = (request["params"] ?? [:]).jsonText()
        if let outcome = try outcome(of: method, Array(params.utf8), id) { answer(id, outcome) }
    }

    func next() throws -> JSONValue {
        stage.runUntilIdle()
        for _ in 0..<400 where inbox.isEmpty { stage.advance() }
        guard !inbox.isEmpty else { throw Unexpected("nothing comes, however long one waits") }
        return inbox.removeFirst()
    }

    func leave() {
        for subscription in subscriptions { stage.engine.unsubscribe(subscription) }
        subscriptions = []
        stage.runUntilIdle()
    }

    /// Keeps a reply until the running turn is durable.
    func answer(_ id: JSONValue, _ outcome: Result<JSONValue, ErrorObject>) {
        switch outcome {
        case .success(let result):
            held.append(["jsonrpc": "2.0", "id": id, "result": result])
        case .failure(let error):
            let object: JSONValue = [
                "code": .integer(error.code), "message": .string(error.message),
                "data": .object(error.data),
            ]
            held.append(["jsonrpc": "2.0", "id": id, "error": object])
        }
        stage.engine.join(self)
    }
}

extension EngineWire: TurnParticipant {
    func turnIsDurable() {
        inbox += held
        held = []
    }
}

extension EngineWire: SubscriptionSink {
    var hasRoom: Bool { true }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        var writer = JSONWriter()
        let id = SubscriptionID(subscription.number)
        switch delivery {
        case .record(let record, let previous):
            writer.eventHead(subscription: id, previous: previous)
            writer.eventTail(record, waitingFor: stage.engine.waitingFor(record))
        case .redelivery(let transactions, let position):
            writer.beginRedelivery(subscription: id, position: position, time: Samples.noon)
            for (index, transaction) in transactions.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.transaction(
                    transaction, waitingFor: stage.engine.queue.waitingFor(transaction))
            }
            writer.endRedelivery()
        case .question(let open, let position):
            writer.eventHead(subscription: id, previous: position)
            let record = Record(
                sequence: position, time: open.question.openedAt, origin: nil,
                event: .questionOpened(open.question))
            writer.eventTail(record, waitingFor: nil)
        case .caughtUp(let position):
            writer.caughtUp(subscription: id, position: position)
        case .heartbeat(let position):
            writer.heartbeat(subscription: id, position: position)
        case .gap(let from, let to):
            writer.gap(subscription: id, from: from, to: to, reason: .trimmed)
        case .ended(let last, _):
            writer.ended(subscription: id, reason: .trimmed, last: last)
        }
        inbox.append((try? JSONValue(parsing: writer.bytes)) ?? "an event is no JSON")
    }

    func flushDeliveries() {}
}
