import PaymentCore
import PaymentTesting
import SandboxControl

@testable import PaymentSandbox

/// What happens at the store without this queue having asked for it.
extension SimulatedStore {
    /// Does something to one of the orders or subscriptions of an account, or lets time pass.
    func surprise(_ account: AccountName, _ dice: inout SeededGenerator) {
        let subscription =
            dice.pick([Samples.club, Market.gold, Market.silver, Market.annual, Market.bronze])
            ?? Samples.club
        let orders = state.orders.filter { $0.order.account == account }.map(\.order)
        switch dice.below(40) {
        case 0..<8: buyElsewhere(account, &dice)
        case 8..<13: run(.renew(subscription), account)
        case 13..<20:
            let paid = orders.filter { $0.state == .purchased }
            if let order = dice.pick(paid) { run(.refund(.order(order.order)), account) }
        case 20..<23:
            // Mostly what is left of it: whole chains are forgotten with their first orders.
            if let order = dice.pick(orders) { run(.deleteOrder(.order(order.order)), account) }
        case 23..<25: run(.expire(subscription), account)
        case 25..<27: run(.autoRenew(subscription, dice.chance(60)), account)
        case 27..<30:
            let answer = dice.pick(PriceIncreaseAnswer.allCases) ?? .consent
            run(.priceIncrease(subscription, answer), account)
        case 30..<34:
            if let order = dice.pick(orders) { run(.resolve(.order(order.order)), account) }
        case 34: if dice.chance(5) { run(.clear, account) }
        default: advance(days: dice.pick([1, 4, 8, 32, 70]) ?? 1)
        }
    }

    /// Somebody buys with another device, and mostly does not complete it there.
    private func buyElsewhere(_ account: AccountName, _ dice: inout SeededGenerator) {
        guard let product = dice.pick(Market.goods)?.identifier,
            let country = market.countries[account]
        else { return }
        let token: OpaqueText? = dice.chance(40) ? OpaqueText("player \(dice.below(3))") : nil
        let sale = Ledger.Sale(
            account: account, product: product, country: country, token: token)
        let order = run(.buy(product, appAccountToken: token), account, sale: sale)
        guard let order, dice.chance(30) else { return }
        complete(order, account)
    }

    /// A purchase that waits for an approval gets it or not.
    func decide(_ order: OrderID, _ account: AccountName, isApproved: Bool) {
        run(.decide(.order(order), approved: isApproved), account)
    }

    /// Does what a person or a test does; nothing where it cannot be done.
    @discardableResult
    func run(
        _ control: TestControl, _ account: AccountName, sale: Ledger.Sale? = nil
    ) -> OrderID? {
        catchUp()
        guard
            let decision = try? ControlRules(state: state, store: catalogue).decide(
                control, account: account, as: freshOrder(), at: real)
        else { return nil }
        for event in decision.events { record(event, sale) }
        return decision.order
    }

    /// The orders that wait for an approval.
    var deferred: [StoreOrder] { state.orders.map(\.order).filter { $0.state == .deferred } }

    /// Whether an order was paid by an account, here or elsewhere; also if it was taken back or
    /// deleted since.
    func isPaid(_ order: OrderID, by account: AccountName?) -> Bool {
        guard let entry = ledger.entries[order] else { return false }
        return entry.state == .paid && entry.account == account
    }

    /// Whether the store need not be told any more that the goods of an order were delivered.
    func isCompleted(_ order: OrderID) -> Bool {
        guard let known = state.order(order)?.order else { return true }
        return known.completed || known.state == .refunded
    }

    /// Whether an order is among what its account has paid for and nobody has completed.
    func isOffered(_ order: OrderID) -> Bool {
        guard let account = state.order(order)?.order.account else { return false }
        return unfinished(of: account).contains { $0.order == order }
    }

    /// What an account has paid for and nobody has completed.
    func unfinished(of account: AccountName) -> [StorePurchase] {
        let page = try? PurchasePages(state: state, store: catalogue).purchases(
            .unfinished, of: account, page: nil, limit: .max)
        return page?.purchases ?? []
    }
}
