public import PaymentCore
public import SandboxControl

extension SandboxState {
    /// The maximum number of purchases and revoked orders of a page.
    public static let purchasesOfPage = 500

    /// A page of the account's payments, oldest first.
    ///
    /// The token of a page is the last order of the previous page.
    ///
    /// - Throws: The account is unknown, or there is no such page (any more).
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        in store: StoreCatalogue, limit: Int = SandboxState.purchasesOfPage
    ) throws(StoreFailure) -> PurchasePage {
        _ = try mayBuy(account, in: store)
        if let start = page.flatMap({ DeletedPage($0) }) {
            return deletedPage(start, of: account, limit: limit)
        }
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil), let orders = orderTable.paid(by: account, after: last ?? nil)
        else {
            throw StoreFailure(.internalError, "unknown page of purchases")
        }
        let locale = locale(in: store)
        var found = PurchasePage()
        var end: OrderID?
        for known in orders {
            let isRevoked = selection == .unfinished && known.order.state == .refunded
            guard isRevoked || isMeant(known, by: selection, in: store) else {
                continue
            }
            if found.purchases.count + found.revoked.count == limit {
                found.next = end.map { OpaqueText($0.description) }
                break
            }
            end = known.order.order
            if isRevoked {
                found.revoked.append(
                    RevokedOrder(
                        order: known.order.order, product: known.order.product,
                        revocation: known.order.charge?.revocation
                            ?? OrderRevocation(at: known.paidAt)))
            } else {
                found.purchases.append(purchase(known, in: store, locale: locale))
            }
        }
        if selection == .unfinished, found.next == nil, deleted[account] != nil {
            found.next = DeletedPage.first.name
        }
        return found
    }

    /// A page of deleted orders; they follow the purchases on separate pages.
    private func deletedPage(
        _ wanted: DeletedPage, of account: AccountName, limit: Int
    ) -> PurchasePage {
        let orders = deleted[account, default: []]
        var start = 0
        // An order that is not listed any more is older than all listed ones.
        if case .after(let deleted) = wanted, let last = orders.lastIndex(of: deleted) {
            start = last + 1
        }
        var page = PurchasePage()
        page.deleted = Array(orders[start...].prefix(limit))
        if orders.count - start > limit, let last = page.deleted.last {
            page.next = DeletedPage.after(last).name
        }
        return page
    }

    /// Whether `text` is a possible page token.
    package static func isPageOfPurchases(_ text: String) -> Bool {
        OrderID(text) != nil || DeletedPage(OpaqueText(text)) != nil
    }

    func isMeant(
        _ known: SandboxOrder, by selection: PurchaseSelection, in store: StoreCatalogue
    ) -> Bool {
        let order = known.order
        guard order.state == .purchased else { return false }
        switch selection {
        case .unfinished:
            guard !order.completed else { return false }
            return isPlanned(known)
                || latest(ofChain: order.original)?.order.order == order.order
        case .restorable, .entitlements:
            switch kind(of: known, in: store) {
            case .nonConsumable:
                return orderTable.owned(order.product, account: order.account)?.order.order
                    == order.order
            case .autoRenewableSubscription: return isServed(by: known)
            case .consumable, .nonRenewingSubscription, nil: return false
            }
        }
    }

    /// Whether it is the order that asked for a change that is still to come.
    private func isPlanned(_ known: SandboxOrder) -> Bool {
        guard known.isScheduled,
            let subscription = subscription(ofChain: known.order.original)
        else { return false }
        return plan(of: subscription)?.order.order == known.order.order
    }

    private func isServed(by known: SandboxOrder) -> Bool {
        guard subscription(ofChain: known.order.original)?.isServed == true else { return false }
        return latest(ofChain: known.order.original)?.order.order == known.order.order
    }

    private func kind(of known: SandboxOrder, in store: StoreCatalogue) -> Product.Kind? {
        known.kind ?? store.product(known.order.product)?.type
    }

    private func purchase(
        _ known: SandboxOrder, in store: StoreCatalogue, locale: String
    ) -> StorePurchase {
        let order = known.order
        var product =
            store.product(order.product, in: order.country, locale: locale)
            ?? Product(
                productIdentifier: order.product, type: known.kind ?? .consumable,
                localizedTitle: order.product.string, localizedDescription: "", price: order.price)
        product.price = order.price
        return StorePurchase(
            order: order.order, original: order.original, transaction: order.transaction,
            product: product, country: order.country, appAccountToken: order.appAccountToken,
            charge: order.charge ?? Charge(price: order.price), isRenewal: order.isRenewal,
            isCompleted: order.completed,
            purchasedAt: known.paidAt, expiresAt: end(of: known))
    }

    /// The end of the paid period of an order, including its grace period; nil if it never ends.
    func end(of known: SandboxOrder) -> Timestamp? {
        guard isServed(by: known) else { return known.order.expiresAt }
        return subscription(ofChain: known.order.original)?.graceUntil ?? known.order.expiresAt
    }

    /// A page of all orders, oldest first, at most `limit` of them.
    ///
    /// - Throws: There is no such page (any more).
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil), let orders = orderTable.orders(after: last ?? nil) else {
            throw .pageExpired
        }
        var found: [StoreOrder] = []
        for known in orders {
            if found.count == max(1, limit) {
                return (found, found.last.map { OpaqueText($0.order.description) })
            }
            found.append(known.order)
        }
        return (found, nil)
    }
}

/// The start of a page of deleted orders.
private enum DeletedPage {
    case first
    /// After a deleted order.
    case after(DeletedOrder)

    private static let prefix = "deleted"
    private static let identifierLength = 36

    init?(_ page: OpaqueText) {
        let names = page.string.dropFirst(Self.prefix.count)
        guard page.string.hasPrefix(Self.prefix) else { return nil }
        guard !names.isEmpty else {
            self = .first
            return
        }
        guard names.first == "-",
            let order = OrderID(String(names.dropFirst().prefix(Self.identifierLength)))
        else { return nil }
        let rest = names.dropFirst(1 + Self.identifierLength)
        let transaction = TransactionID(String(rest.dropFirst()))
        guard rest.isEmpty || rest.first == "-" && transaction != nil else { return nil }
        self = .after(DeletedOrder(order: order, transaction: transaction))
    }

    var name: OpaqueText {
        switch self {
        case .first: OpaqueText(Self.prefix)
        case .after(let last):
            OpaqueText(
                "\(Self.prefix)-\(last.order)" + (last.transaction.map { "-\($0)" } ?? ""))
        }
    }
}
