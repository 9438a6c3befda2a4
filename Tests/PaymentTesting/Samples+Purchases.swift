public import PaymentCore

extension Samples {
    /// A purchase as the store tells it: of anna's book in Germany, completed, unless said otherwise.
    public static func purchase(
        _ number: UInt64, original: UInt64? = nil, by transaction: TransactionID? = nil,
        of product: Product = product(book, .nonConsumable), token: OpaqueText? = nil,
        isRenewal: Bool = false, isCompleted: Bool = true
    ) -> StorePurchase {
        StorePurchase(
            order: order(number), original: order(original ?? number), transaction: transaction,
            product: product, country: germany, appAccountToken: token, isRenewal: isRenewal,
            isCompleted: isCompleted, purchasedAt: noon)
    }
}
