public import PaymentCore
import PaymentHistory
import SandboxControl
import Synchronization

/// The store as a queue uses it. The rules are those of the ``EmbeddedStore`` calls of the same names.
extension SandboxService: StoreBackend {
    /// The word `sandbox`.
    public nonisolated var name: String { "sandbox" }

    /// Opens a session.
    public func logIn(
        account: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        try await perform { $0.logIn(account: account, credential: credential, $1) }.get()
    }

    /// The products that are sold in a country.
    public func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue {
        try await perform { $0.catalogue(of: country, $1) }.get()
    }

    /// The products that are sold in a country, without waiting; nil while a simulated error hides them.
    public nonisolated func knownCatalogue(of country: CountryCode) -> Catalogue? {
        snapshot.withLock { $0 }.catalogue(of: country)
    }

    /// The default country, without waiting, so that outages and latency do not delay a start.
    public nonisolated var knownDefaultCountry: CountryCode {
        snapshot.withLock { $0.catalogue.defaultCountry }
    }

    /// Facts about an account, without waiting; nil for an unknown account.
    public nonisolated func knownFacts(of account: AccountName) -> AccountFacts? {
        snapshot.withLock { $0.facts(of: account) }
    }

    /// The default country of the catalogue.
    public func defaultCountry() async throws(StoreFailure) -> CountryCode {
        try await perform { $0.defaultCountry($1) }.get()
    }

    /// Places an order, or returns the outcome of the order that the transaction placed before.
    public func submit(_ request: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        try await perform { $0.submit(request, $1) }.get()
    }

    /// Records the delivery of an order.
    public func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        try await perform { $0.complete(order: order, account: account, $1) }.get()
    }

    /// Facts about an account.
    public func facts(of account: AccountName) async throws(StoreFailure) -> AccountFacts {
        try await perform { $0.facts(of: account, $1) }.get()
    }

    /// A page of an account's purchases, oldest first.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        try await perform { $0.purchases(selection, of: account, page: page, $1) }.get()
    }

    /// A signed page of an account's payments; nil if the account has no such page (any more).
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        let found = try await perform { $0.history(of: account, query, $1) }.get()
        return try await found?.signed(query, with: environment.keys.ring())
    }

    /// The public keys, the current one first.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        _ = try await defaultCountry()
        return try await environment.keys.ring().keySet.keys
    }

    /// Adds a listener. Listeners run on the executor, right after the commit, and must not wait for the store.
    public nonisolated func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
