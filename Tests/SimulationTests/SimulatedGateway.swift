import PaymentCore
import PaymentEngine

/// What one life of the engine has in hand of the store.
///
/// Proof: the simulation runs on one thread.
final class SimulatedGateway: StoreGateway, @unchecked Sendable {
    let name = "simulated"
    private let store: SimulatedStore
    private let onSubmit: (OrderRequest) -> Void
    private let onComplete: (OrderID, AccountName) -> Void

    init(
        _ store: SimulatedStore, onSubmit: @escaping (OrderRequest) -> Void,
        onComplete: @escaping (OrderID, AccountName) -> Void
    ) {
        self.store = store
        self.onSubmit = onSubmit
        self.onComplete = onComplete
    }

    func send(_ request: StoreRequest) {
        switch request {
        case .submit(let order, _): onSubmit(order)
        case .complete(let order, let account, _): onComplete(order, account)
        case .logIn, .catalogue, .facts, .purchases, .signedHistory, .keys: break
        }
        store.take(request)
    }
}
