public import PaymentCore
public import PaymentHistory
import SandboxControl

extension SandboxState {
    /// The payments of an account, refunded or not, the newest first, at a real moment.
    /// Dates are those of the sandbox's own clock. The work grows with what is returned, not with
    /// what the account has.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - page: The order that the page before ended with; nil for the first page. Whatever was paid
    ///     since, the payments before that order stay the same.
    ///   - limit: Most purchases.
    ///   - store: What is sold.
    ///   - real: The real moment.
    /// - Returns: The purchases, and whether older ones follow; nil if the account has no such page
    ///   (any more).
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
        // A change that is to come has bought nothing yet; its renewal stands here when it comes.
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
            // Catalogues are refused that have an amount which does not fit.
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
