import PaymentCore
import PaymentHistory
import PaymentTesting
import SandboxControl

@testable import PaymentSandbox

/// What the store shows of its orders, view by view, beside what they should say.
extension SimulatedStore {
    /// Where a view says something else than it should; nil while all agree.
    func disagreement() -> String? {
        if let finding = disagreementOfOrders() { return finding }
        for account in [Samples.anna, Samples.bert] {
            let finding =
                disagreementOfHistory(account) ?? disagreementOfPurchases(account)
                ?? disagreementOfOffers(account)
            if let finding { return finding }
        }
        return nil
    }

    private func disagreementOfOrders() -> String? {
        guard let shown = try? state.testOrders(page: nil, limit: .max).orders else {
            return "the orders cannot be listed"
        }
        let expected = ledger.entries.values.count { $0.deletedAt == nil }
        if shown.count != expected { return "\(shown.count) orders, expected \(expected)" }
        for order in shown {
            let name = "order \(order.order)"
            guard let entry = ledger.entries[order.order], entry.deletedAt == nil else {
                return "\(name) was never placed"
            }
            let expected: StoreOrder.State =
                switch entry.state {
                case .deferred: .deferred
                case .failed: .failed
                case .paid: entry.revocation == nil ? .purchased : .refunded
                }
            if order.state != expected { return "\(name) is \(order.state), not \(expected)" }
            if order.transaction != entry.transaction || order.isRenewal != entry.isRenewal
                || order.account != entry.account
            {
                return "\(name) is somebody else's"
            }
            guard order.charge != nil || entry.state != .paid else { return "\(name) is free" }
            if entry.state == .paid, order.price != entry.price.price {
                return "\(name) costs \(order.price) a period, not \(entry.price)"
            }
            if let finding = difference(
                from: entry, order.product, order.country, order.appAccountToken, order.original,
                order.charge)
            {
                return "the list of orders says that \(finding)"
            }
        }
        return nil
    }

    /// Each paid order once, the newest payment first, and nothing that was not paid.
    private func disagreementOfHistory(_ account: AccountName) -> String? {
        let expected = ledger.entries.values.filter { $0.isPurchase && $0.account == account }
            .sorted { $0.rank > $1.rank }
        guard
            let page = PurchasePages(state: state, store: catalogue).history(of: account, at: real)
        else {
            return "the history of \(account) cannot be had"
        }
        var history = page.history.transactions
        if defect == .historyForgetsRefunds {
            for index in history.indices { history[index].revocation = nil }
        }
        if history.map(\.orderID) != expected.map(\.order) {
            return "the history of \(account) has other orders than were paid"
        }
        for (purchase, entry) in zip(history, expected) {
            let isSame =
                purchase.price == entry.charged?.units
                && purchase.currency == entry.charged?.currency
                && purchase.appAccountToken == entry.token?.string
                && purchase.originalOrderID == entry.original
                && purchase.productID == entry.product.string
                && purchase.revocation?.date == entry.revocation?.at
                && purchase.country == entry.country.description
                && (purchase.reason == .renewal) == entry.isRenewal
            if !isSame {
                return "the history says of order \(entry.order): \(purchase), expected \(entry)"
            }
        }
        return nil
    }

    private func disagreementOfPurchases(_ account: AccountName) -> String? {
        let selections: [(PurchaseSelection, String)] = [
            (.unfinished, "unfinished purchases"), (.restorable, "restorable purchases"),
            (.entitlements, "entitlements"),
        ]
        for (selection, name) in selections {
            let page = try? PurchasePages(state: state, store: catalogue).purchases(
                selection, of: account, page: nil, limit: .max)
            guard let page else { return "the \(name) cannot be listed" }
            for purchase in page.purchases {
                guard let entry = ledger.entries[purchase.order], entry.state == .paid,
                    entry.revocation == nil, entry.deletedAt == nil
                else { return "the \(name) name order \(purchase.order)" }
                if let finding = difference(
                    from: entry, purchase.product.productIdentifier, purchase.country,
                    purchase.appAccountToken, purchase.original, purchase.charge)
                {
                    return "the \(name) say that \(finding)"
                }
            }
            let orders = Set(page.purchases.map(\.order))
            if selection == .unfinished {
                let revoked = ledger.entries.values.filter {
                    $0.account == account && $0.revocation != nil && $0.deletedAt == nil
                }
                if Set(page.revoked.map(\.order)) != Set(revoked.map(\.order)) {
                    return "other orders of \(account) are named as taken back than were"
                }
            } else if orders != ledger.owned(by: account) {
                return "the \(name) of \(account) are others than it has"
            }
        }
        return nil
    }

    /// Nobody is charged an introductory offer of a group twice.
    private func disagreementOfOffers(_ account: AccountName) -> String? {
        var groups: Set<OpaqueText> = []
        for entry in ledger.entries.values
        where entry.isPurchase && entry.beginsOffer && entry.account == account {
            guard let group = Market.good(entry.product)?.key else { continue }
            guard groups.insert(group).inserted else {
                return "\(account) was charged an introductory offer of \(group) twice"
            }
        }
        let known = state.introduced(account)
        let expected = Market.goods.map(\.key).filter { ledger.isIntroduced(account, $0) }
        return known == Set(expected) ? nil : "\(account) is offered what it has had"
    }

    /// Where what is said of an order is not what it should be.
    func difference(
        from entry: Ledger.Entry, _ product: ProductIdentifier, _ country: CountryCode,
        _ token: OpaqueText?, _ original: OrderID, _ charge: Charge?
    ) -> String? {
        let name = "order \(entry.order)"
        if product != entry.product { return "\(name) is for \(product), not \(entry.product)" }
        if country != entry.country { return "\(name) was in \(country), not \(entry.country)" }
        if token != entry.token {
            return "\(name) has token \(token as Any), not \(entry.token as Any)"
        }
        if original != entry.original {
            return "\(name) is of chain \(original), not \(entry.original)"
        }
        if charge?.price != entry.charged?.price || charge?.offer != entry.offer {
            return "\(name) was charged \(charge as Any), not "
                + "\(entry.charged as Any) (\(entry.offer as Any))"
        }
        if charge?.revocation != entry.revocation {
            return "\(name) has revocation \(charge?.revocation as Any), not "
                + "\(entry.revocation as Any)"
        }
        if let charge, charge.price.currencyCode != Market.currency(of: country) {
            return "\(name) is charged in \(charge.price.currencyCode) in \(country)"
        }
        return charge?.effectiveAt == entry.effectiveAt
            ? nil : "\(name) takes effect at another moment"
    }
}

extension Ledger {
    /// The orders by which an account has something now.
    func owned(by account: AccountName) -> Set<OrderID> {
        let books = entries.values.filter {
            $0.isLive && $0.account == account
                && Market.good($0.product)?.type == .nonConsumable
        }
        let served = chains.filter {
            $0.key.account == account
                && ($0.value.status == .active || $0.value.status == .retrying && $0.value.isGraced)
        }
        return Set(books.map(\.order)).union(
            served.values.compactMap { serving($0.original)?.order })
    }
}
