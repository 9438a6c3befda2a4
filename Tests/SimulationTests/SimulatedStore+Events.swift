import PaymentCore
import PaymentTesting

/// What happens at the store without this queue having asked for it.
extension SimulatedStore {
    /// Somebody buys with another device, and mostly does not complete it there.
    func buyElsewhere(_ account: AccountName, _ dice: inout SeededGenerator) {
        guard let country = model.countries[account] else { return }
        let products = model.catalogue(of: country).products
        guard let product = dice.pick(products) else { return }
        add(
            account, product, original: nil, country, isCompleted: dice.chance(30),
            token: dice.chance(30) ? "player" : nil)
    }

    /// A subscription is renewed, be it one of this queue or one from elsewhere.
    func renew(_ account: AccountName, _ dice: inout SeededGenerator) {
        let chains = model.purchases(.restorable, of: account).purchases
            .filter { $0.product.type == .autoRenewableSubscription }
        guard let last = dice.pick(chains) else { return }
        add(
            account, last.product, original: last.original, last.country, isCompleted: false,
            token: last.appAccountToken)
    }

    /// A purchase is taken back.
    func refund(_ account: AccountName, _ dice: inout SeededGenerator) {
        let own = model.history.compactMap { model.orders[$0] }
            .filter { $0.request.account == account && $0.state == .paid }
            .map { ($0.id, $0.request.product.productIdentifier) }
        let others = model.elsewhere[account, default: []]
            .map { ($0.order, $0.product.productIdentifier) }
        guard let (order, product) = dice.pick(own + others),
            !model.revoked[account, default: []].contains(where: { $0.order == order })
        else { return }
        model.revoked[account, default: []].append(
            RevokedOrder(
                order: order, product: product,
                revocation: Samples.refund))
    }

    /// Whether an order was paid by an account, here or elsewhere; also if it was taken back since.
    func isPaid(_ order: OrderID, by account: AccountName?) -> Bool {
        if let own = model.order(order) {
            return own.state == .paid && own.request.account == account
        }
        return account.flatMap { model.elsewhere[$0] }?.contains { $0.order == order } ?? false
    }

    /// Whether the store was told that the goods of an order were delivered.
    func isCompleted(_ order: OrderID, of account: AccountName?) -> Bool {
        if let own = model.order(order) { return own.completions > 0 }
        return account.flatMap { model.elsewhere[$0] }?
            .contains { $0.order == order && $0.isCompleted } ?? false
    }

    private func add(
        _ account: AccountName, _ product: Product, original: OrderID?, _ country: CountryCode,
        isCompleted: Bool, token: OpaqueText?
    ) {
        elsewhereCount += 1
        let order = Samples.order(1_000_000 + elsewhereCount)
        model.elsewhere[account, default: []].append(
            StorePurchase(
                order: order, original: original ?? order, product: product, country: country,
                appAccountToken: token, isRenewal: original != nil, isCompleted: isCompleted,
                purchasedAt: Samples.noon))
    }
}
