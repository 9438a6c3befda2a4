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

    func logIn(
        account: AccountName, credential: OpaqueText?,
        answer: @escaping @Sendable (Result<Session, StoreFailure>) -> Void
    ) {
        store.take(logIn: account, answer)
    }

    func catalogue(
        of country: CountryCode,
        answer: @escaping @Sendable (Result<Catalogue, StoreFailure>) -> Void
    ) {
        store.take(catalogueOf: country, answer)
    }

    func submit(
        _ order: OrderRequest,
        answer: @escaping @Sendable (Result<OrderOutcome, StoreFailure>) -> Void
    ) {
        onSubmit(order)
        store.take(order, answer)
    }

    func complete(
        order: OrderID, account: AccountName,
        answer: @escaping @Sendable (Result<Void, StoreFailure>) -> Void
    ) {
        onComplete(order, account)
        store.take(completionOf: order, account, answer)
    }

    func facts(
        of account: AccountName,
        answer: @escaping @Sendable (Result<AccountFacts, StoreFailure>) -> Void
    ) {
        store.take(factsOf: account, answer)
    }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        answer: @escaping @Sendable (Result<PurchasePage, StoreFailure>) -> Void
    ) {
        store.take(selection, of: account, page: page, answer)
    }
}
