import PaymentCore

/// The store of a daemon that serves its state read-only: no store is called.
struct AbsentStore: StoreBackend {
    let name = "none"

    private static let failure = StoreFailure(
        .serviceUnavailable, "the daemon serves its state read-only and asks no store")

    func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        throw Self.failure
    }

    func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue {
        throw Self.failure
    }

    func defaultCountry() async throws(StoreFailure) -> CountryCode { throw Self.failure }

    func submit(_ order: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        throw Self.failure
    }

    func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        throw Self.failure
    }

    func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts {
        throw Self.failure
    }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        throw Self.failure
    }

    func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        throw Self.failure
    }

    func keys() async throws(StoreFailure) -> [StoreKey] { throw Self.failure }

    func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {}
}
