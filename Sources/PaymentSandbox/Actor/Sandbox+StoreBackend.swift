public import PaymentCore
import SandboxControl
import Synchronization

extension Sandbox: StoreBackend {
    /// Opens a session. With an Apple catalogue every name and credential is accepted.
    public func logIn(
        account name: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        try await answer(.login) { () throws(StoreFailure) in
            try sales.session(of: name, credential: credential)
        }
    }

    /// All products that are sold in a country; empty for a country without prices.
    public func catalogue(of country: CountryCode) async throws(StoreFailure) -> Catalogue {
        try await answer(.products) { () throws(StoreFailure) in
            if let known = catalogues[country] { return known }
            let catalogue = store.catalogue(of: country, locale: sales.locale)
            catalogues[country] = catalogue
            return catalogue
        }
    }

    /// Everything that is sold in a country: it stands in the catalogue that the sandbox was given.
    /// Nil while an error is simulated for it, so that a caller has to ask.
    public nonisolated func knownCatalogue(of country: CountryCode) -> Catalogue? {
        let window = catalogueSnapshot.withLock { $0 }
        return window.isShut ? nil : window.store.catalogue(of: country, locale: window.locale)
    }

    /// The default country of the catalogue, without a request. A daemon therefore starts despite
    /// simulated outages or latency.
    public nonisolated var knownDefaultCountry: CountryCode {
        catalogueSnapshot.withLock { $0.store.defaultCountry }
    }

    /// Facts about an account without a request, so that simulated outages and latency do not
    /// apply. Nil for an unknown account.
    public nonisolated func knownFacts(of account: AccountName) -> AccountFacts? {
        catalogueSnapshot.withLock { $0.facts(of: account) }
    }

    /// The default country of the catalogue.
    public func defaultCountry() async throws(StoreFailure) -> CountryCode {
        try await answer { () throws(StoreFailure) in store.defaultCountry }
    }

    /// Places an order, or returns the outcome of the order that the transaction has placed before.
    ///
    /// - Throws: `internalError` if the transaction has an order with another product, price or
    ///   account. A second order is never placed.
    public func submit(_ request: OrderRequest) async throws(StoreFailure) -> OrderOutcome {
        try await answer(.purchase) { () throws(StoreFailure) in
            let id = freshOrderID()
            switch try OrderRules(state, store).decide(request, as: id, at: time()) {
            case .answer(let outcome): return outcome
            case .record(let event, let outcome):
                record(event)
                return outcome
            }
        }
    }

    /// Records the delivery of an order's goods. Completing a deleted order is harmless.
    ///
    /// - Throws: `internalError` if the order belongs to another account or was never paid.
    public func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        try await answer(.completion) { () throws(StoreFailure) in
            if let event = try state.decide(completionOf: order, account: account) {
                record(event)
            }
        }
    }

    /// The country of the account, its permission to buy by catalogue and test settings, and its
    /// used introductory offers.
    public func facts(of name: AccountName) async throws(StoreFailure) -> AccountFacts {
        try await answer { () throws(StoreFailure) in
            AccountFacts(
                country: try sales.country(of: name),
                paymentsAllowed: try sales.mayBuy(name),
                introduced: state.introduced(name))
        }
    }

    /// A page of what an account has paid for, oldest first: at most
    /// ``PurchasePages/purchasesOfPage`` purchases and revoked orders.
    ///
    /// - Throws: `internalError` for an unknown page, or if its order was deleted since.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        let call: SimulatedCall = selection == .unfinished ? .reconciliation : .restore
        return try await answer(call) { () throws(StoreFailure) in
            try PurchasePages(state, store).purchases(selection, of: account, page: page)
        }
    }

    /// Registers a listener for changes. Listeners are called one after the other on the sandbox's
    /// executor, right after the commit. They must not block on the sandbox.
    public nonisolated func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
