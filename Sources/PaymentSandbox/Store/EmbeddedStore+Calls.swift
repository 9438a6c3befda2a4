public import PaymentCore
import SandboxControl

/// The calls of a store. Each fails with the simulated failure, if the settings name one.
extension EmbeddedStore {
    /// Opens a session. With an Xcode catalogue, every account name and credential is valid.
    ///
    /// - Returns: The session. The call fails with `unknownAccount` or `badCredential`.
    public mutating func logIn(
        account: AccountName, credential: OpaqueText?, _ context: StoreContext
    ) -> StoreStep<Session, StoreFailure> {
        answer(.login, context) { store throws(StoreFailure) in
            (try store.sales.session(of: account, credential: credential), nil)
        }
    }

    /// The products that are sold in a country; an empty catalogue if no product has a price there.
    public mutating func catalogue(
        of country: CountryCode, _ context: StoreContext
    ) -> StoreStep<Catalogue, StoreFailure> {
        // The step comes first, because it may change the texts.
        let step = answer(.products, context) { _ in ((), nil) }
        return StoreStep(
            answer: step.answer.map { texts(of: country) }, effects: step.effects,
            latency: step.latency)
    }

    /// The default country of the catalogue.
    public mutating func defaultCountry(
        _ context: StoreContext
    ) -> StoreStep<CountryCode, StoreFailure> {
        answer(nil, context) { ($0.catalogue.defaultCountry, nil) }
    }

    /// Places an order, or returns the outcome of the order that the transaction placed before.
    ///
    /// - Returns: The outcome. The call fails with `internalError` if the transaction has an order for
    ///   another product, price or account.
    public mutating func submit(
        _ request: OrderRequest, _ context: StoreContext
    ) -> StoreStep<OrderOutcome, StoreFailure> {
        answer(.purchase, context) { store throws(StoreFailure) in
            let id = store.freshOrder(context)
            switch try store.orders.decide(request, as: id, at: context.now) {
            case .answer(let outcome): return (outcome, nil)
            case .record(let event, let outcome): return (outcome, event)
            }
        }
    }

    /// Records the delivery of an order. Completing a deleted order has no effect.
    ///
    /// - Returns: Nothing. The call fails with `internalError` if the order is of another account or
    ///   was not paid.
    public mutating func complete(
        order: OrderID, account: AccountName, _ context: StoreContext
    ) -> StoreStep<Void, StoreFailure> {
        answer(.completion, context) { store throws(StoreFailure) in
            ((), try store.state.decide(completionOf: order, account: account))
        }
    }

    /// The country of an account, its permission to buy, and the introductory offers that it has used.
    ///
    /// - Returns: The facts. The call fails with `unknownAccount`.
    public mutating func facts(
        of account: AccountName, _ context: StoreContext
    ) -> StoreStep<AccountFacts, StoreFailure> {
        answer(nil, context) { store throws(StoreFailure) in
            let facts = AccountFacts(
                country: try store.sales.country(of: account),
                paymentsAllowed: try store.sales.mayBuy(account),
                introduced: store.state.introduced(account))
            return (facts, nil)
        }
    }

    /// The country of an account.
    ///
    /// - Returns: The country. The call fails with `unknownAccount`.
    public mutating func country(
        of account: AccountName, _ context: StoreContext
    ) -> StoreStep<CountryCode, StoreFailure> {
        answer(nil, context) { store throws(StoreFailure) in
            (try store.sales.country(of: account), nil)
        }
    }

    /// A page of an account's purchases, oldest first, at most 500 purchases and revoked orders.
    ///
    /// - Returns: The page. The call fails with `internalError` for an unknown page, or if the order
    ///   that names it was deleted.
    public mutating func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        _ context: StoreContext
    ) -> StoreStep<PurchasePage, StoreFailure> {
        let call: SimulatedCall = selection == .unfinished ? .reconciliation : .restore
        return answer(call, context) { store throws(StoreFailure) in
            (try store.pages.purchases(selection, of: account, page: page), nil)
        }
    }

    /// The outcome of the order that a transaction of an account has placed; nil if there is none.
    mutating func outcome(
        of transaction: TransactionID, account: AccountName, _ context: StoreContext
    ) -> StoreStep<OrderOutcome?, StoreFailure> {
        answer(.purchase, context) { store in
            (store.state.outcome(of: transaction, account: account), nil)
        }
    }

    /// A page of an account's payments, newest first, ready to be signed; nil if the account has no
    /// such page.
    mutating func history(
        of account: AccountName, _ query: HistoryQuery, _ context: StoreContext
    ) -> StoreStep<HistoryStretch?, StoreFailure> {
        answer(.history, context) { store throws(StoreFailure) in
            _ = try store.sales.mayBuy(account)
            return (store.pages.stretch(of: account, query, at: context.now), nil)
        }
    }

    /// A page of the payments of an order's account. The outer value is nil if the order is unknown or
    /// was not paid, the inner one if the account has no such page.
    mutating func history(
        holding order: OrderID, _ query: HistoryQuery, _ context: StoreContext
    ) -> StoreStep<HistoryStretch??, StoreFailure> {
        answer(.history, context) { store in
            guard let known = store.state.order(order), known.isPaid else { return (nil, nil) }
            let stretch = store.pages.stretch(of: known.order.account, query, at: context.now)
            return (.some(stretch), nil)
        }
    }

    /// The rules of orders in the current state.
    private var orders: OrderRules { OrderRules(state: state, store: catalogue) }

    /// The pages of purchases in the current state.
    var pages: PurchasePages { PurchasePages(state: state, store: catalogue) }

    /// Whether text can name a page of purchases.
    package static func isPageOfPurchases(_ text: String) -> Bool {
        PurchasePages.isPageOfPurchases(text)
    }
}
