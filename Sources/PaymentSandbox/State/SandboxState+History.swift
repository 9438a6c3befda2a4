public import PaymentCore
public import PaymentHistory
import SandboxControl

extension SandboxState {
    /// The payments of an account at a real time, newest first, including refunded ones. Dates are
    /// those of the sandbox's own clock. The work grows with the returned page, not with all
    /// payments.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - page: The last order of the previous page; nil for the first page. Later payments do
    ///     not change the following pages.
    ///   - limit: The maximum number of purchases.
    ///   - store: The catalogue.
    ///   - real: The real time.
    /// - Returns: The purchases, and whether the page is the last; nil if the account does not
    ///   have such a page (any more).
    public func history(
        of account: AccountName, page: OpaqueText? = nil, limit: Int = .max,
        in store: StoreCatalogue, at real: Timestamp
    ) -> (history: TransactionHistory, isLast: Bool)? {
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil), let paid = orderTable.paid(by: account, before: last ?? nil)
        else {
            return nil
        }
        let fetchedAt = now(at: real)
        var history = TransactionHistory(transactions: [])
        // A scheduled change has bought nothing yet; its renewal is listed when it happens.
        for known in paid where !known.isScheduled {
            guard history.transactions.count < limit else { return (history, false) }
            history.transactions.append(purchase(known, in: store, fetchedAt: fetchedAt))
        }
        return (history, true)
    }

    private func purchase(
        _ known: SandboxOrder, in store: StoreCatalogue, fetchedAt: Timestamp
    ) -> InAppPurchase {
        let order = known.order
        let charge = order.charge ?? Charge(price: order.price)
        let sold = store.product(order.product)
        let kind = known.kind ?? sold?.type ?? .consumable
        let original = self.order(order.original)
        var purchase = InAppPurchase(
            bundleID: store.bundleID, order: order.order,
            // Catalogues with an amount that does not fit are refused.
            price: charge.price.minorUnits ?? .max, currency: charge.price.currencyCode,
            productID: order.product.string,
            productType: InAppPurchase.ProductType(kind), purchaseDate: known.paidAt,
            fetchedAt: fetchedAt, country: order.country.description)
        purchase.productSlug = sold?.slug ?? order.product.string
        purchase.originalOrderID = order.original
        purchase.originalPurchaseDate = original?.paidAt ?? known.paidAt
        purchase.appAccountToken = order.appAccountToken?.string
        purchase.reason = order.isRenewal ? .renewal : .purchase
        purchase.revocation = charge.revocation.map { InAppPurchase.Revocation(date: $0.at) }
        purchase.expiresAt = end(of: known)
        if kind == .autoRenewableSubscription {
            let group = subscription(ofChain: order.original)?.key.group
            purchase.subscriptionID =
                (group ?? sold?.subscriptionGroupIdentifier ?? order.product).string
        }
        return purchase
    }
}
