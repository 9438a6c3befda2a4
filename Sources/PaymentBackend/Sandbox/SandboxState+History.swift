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
        let paid = orders.filter(\.isPaid).enumerated().sorted {
            ($0.element.paidAt, $0.offset) < ($1.element.paidAt, $1.offset)
        }
        return TransactionHistory(
            transactions: paid.map { purchase($0.element, in: store, fetchedAt: fetchedAt) })
    }

    private func purchase(
        _ known: SandboxOrder, in store: StoreCatalogue, fetchedAt: Timestamp
    ) -> InAppPurchase {
        let order = known.order
        let sold = store.product(order.product)
        let kind = known.kind ?? sold?.type ?? .consumable
        let original = self.order(order.original)
        var purchase = InAppPurchase(
            bundleID: store.bundleID, order: order.order,
            // What costs nothing was not charged; no catalogue has an amount that does not fit.
            price: known.isFree ? 0 : order.price.minorUnits ?? .max,
            currency: order.price.currencyCode, productID: order.product.string,
            productType: InAppPurchase.ProductType(kind), purchaseDate: known.paidAt,
            fetchedAt: fetchedAt, country: order.country.description)
        purchase.productSlug = sold?.slug ?? order.product.string
        purchase.originalOrderID = order.original
        purchase.originalPurchaseDate = original?.paidAt ?? known.paidAt
        purchase.appAccountToken =
            (order.appAccountToken ?? original?.order.appAccountToken)?.string
        purchase.reason = order.isRenewal ? .renewal : .purchase
        purchase.revocation = order.revokedAt.map { InAppPurchase.Revocation(date: $0) }
        purchase.expiresAt = end(of: known)
        if kind == .autoRenewableSubscription {
            let group = subscription(ofChain: order.original)?.key.group
            purchase.subscriptionID =
                (group ?? sold?.subscriptionGroupIdentifier ?? order.product).string
        }
        return purchase
    }
}
