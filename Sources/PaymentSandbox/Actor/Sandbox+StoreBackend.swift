public import PaymentCore
import SandboxControl
import Synchronization

extension Sandbox: StoreBackend {
    /// Opens a session. With a catalogue of Apple's every name and credential is right.
    public func logIn(
        account name: AccountName, credential: OpaqueText?
    ) async throws(StoreFailure) -> Session {
        try await answer(.login) { () throws(StoreFailure) in
            try sales.session(of: name, credential: credential)
        }
    }

    /// Everything that is sold in a country; nothing for a country that no product has a price in.
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

    /// The default country of the catalogue that the sandbox was given; known without asking, so
    /// that a daemon starts whatever outage or latency was set.
    public nonisolated var knownDefaultCountry: CountryCode {
        catalogueSnapshot.withLock { $0.store.defaultCountry }
    }

    /// Facts about an account without asking: no outage and no latency keeps them back. Nil for an
    /// account that there is not.
    public nonisolated func knownFacts(of account: AccountName) -> AccountFacts? {
        catalogueSnapshot.withLock { $0.facts(of: account) }
    }

    /// The default country of the catalogue.
    public func defaultCountry() async throws(StoreFailure) -> CountryCode {
        try await answer { () throws(StoreFailure) in store.defaultCountry }
    }

    /// Places an order, or tells the outcome of the one that the transaction has placed before.
    ///
    /// - Throws: `internalError` if the transaction has an order for something else, at another
    ///   price or of another account: never a second order.
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

    /// Notes that goods were delivered. Completing an order that was forgotten is harmless as well.
    ///
    /// - Throws: `internalError` if the order is another account's or was never paid.
    public func complete(order: OrderID, account: AccountName) async throws(StoreFailure) {
        try await answer(.completion) { () throws(StoreFailure) in
            if let event = try state.decide(completionOf: order, account: account) {
                record(event)
            }
        }
    }

    /// Where the account is, whether catalogue and test settings both let it buy, and which
    /// introductory offers it has had.
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
    /// - Throws: `internalError` for a page that never was, or whose order was deleted since.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) async throws(StoreFailure) -> PurchasePage {
        let call: SimulatedCall = selection == .unfinished ? .reconciliation : .restore
        return try await answer(call) { () throws(StoreFailure) in
            try PurchasePages(state, store).purchases(selection, of: account, page: page)
        }
    }

    /// Asks to be told of changes. Listeners are called one after the other where the sandbox runs,
    /// right after the commit: they must not wait for it.
    public nonisolated func listen(_ listener: @escaping @Sendable (StoreChange) -> Void) {
        listeners.withLock { $0.append(listener) }
    }
}
