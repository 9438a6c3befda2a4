import PaymentCore
import PaymentEngine
import PaymentTesting

/// What an answer that comes later was.
///
/// Proof: a test makes it and uses it on its own thread.
final class Kept<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension EngineBench {
    /// Anna in session at a store that knows these purchases of hers, made elsewhere.
    static func owning(
        _ purchases: [StorePurchase], isObserved: Bool = true,
        answers: ScriptedGateway.PurchaseAnswers = .told
    ) -> EngineBench {
        var store = StoreModel()
        store.elsewhere[Samples.anna] = purchases
        let bench = EngineBench(store: store)
        bench.logIn()
        bench.gateway.purchaseAnswers = answers
        if isObserved { bench.engine.start(observer: RecordingTarget()) }
        bench.run()
        return bench
    }

    @discardableResult
    func restore(token: OpaqueText? = nil, key: OpaqueText? = nil) -> RestoreReply {
        do throws(EngineRefusal) {
            let request = RestoreRequest(appAccountToken: token, key: key)
            return try engine.commands.restore(request, origin: Samples.origin)
        } catch {
            preconditionFailure("the bench is refused: \(error)")
        }
    }

    /// How a restore ended, by the records: each end that there is.
    func ends(of id: RestoreID) -> [RestoreOutcome] {
        journal.durable.compactMap { record in
            guard case .restoreEnded(id, _, let outcome) = record.event else { return nil }
            return outcome
        }
    }

    /// The changes of transactions behind a position, oldest first.
    func changes(after position: SequenceNumber = 0) -> [(TransactionChange, Transaction)] {
        journal.durable.filter { $0.sequence > position }.compactMap { record in
            guard case .transaction(let change, let transaction) = record.event else { return nil }
            return (change, transaction)
        }
    }

    /// The unfinished transactions that the session sees.
    var unfinished: [Transaction] {
        var found: [Transaction] = []
        engine.queue.forEachUnfinished { transaction, _, _ in
            found.append(transaction)
            return true
        }
        return found
    }
}
