public import PaymentCore
public import PaymentHistory

extension SandboxState {
    /// Everything that an account has paid for, refunded or not, in the order of payment, at a real
    /// moment. Dates are those of the sandbox's own clock.
    public func history(
        of account: AccountName, in store: StoreCatalogue, at real: Timestamp
    ) -> TransactionHistory {
        guard let orders = book.orders(of: account, after: nil) else {
            return TransactionHistory(transactions: [])
        }
        let fetchedAt = now(at: real)
        // A change that is to come has bought nothing yet; its renewal stands here when it comes.
        let paid = orders.filter { $0.isPaid && !$0.isScheduled }.enumerated().sorted {
            ($0.element.paidAt, $0.offset) < ($1.element.paidAt, $1.offset)
        }
        return TransactionHistory(
            transactions: paid.map { purchase($0.element, in: store, fetchedAt: fetchedAt) })
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
            // No catalogue has an amount that does not fit.
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
