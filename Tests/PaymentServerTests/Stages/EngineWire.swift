import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON

@testable import PaymentServer

/// A client whose requests are handed to the engine without a server in between.
///
/// Replies are kept until the turn is durable, as every holder of replies must.
final class EngineWire: Wire {
    let stage: EngineStage
    var subscriptions: [Subscription] = []
    let engine: PaymentEngine
    private let writer: DeliveryWriter
    private var held: [JSONValue] = []
    private var inbox: [JSONValue] = []

    init(_ stage: EngineStage) {
        self.stage = stage
        engine = stage.engine
        writer = DeliveryWriter(engine: stage.engine)
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
        for subscription in subscriptions { engine.subscriptions.unsubscribe(subscription) }
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
        engine.turn.join(self)
    }
}

extension EngineWire: Barrier {
    func turnIsCommitted() {
        inbox += held
        held = []
    }
}

extension EngineWire: DeliveryTarget {
    var hasRoom: Bool { true }
    var user: UInt32 { 1000 }

    func deliver(_ delivery: Delivery, to subscription: Subscription) {
        var output = JSONWriter()
        writer.write(delivery, to: subscription, into: &output)
        inbox.append((try? JSONValue(parsing: output.bytes)) ?? "an event is no JSON")
    }

    func flushDeliveries() {}
}
