import PaymentCore
import PaymentHistory
import SandboxControl

/// Pages of the purchases of an account, for queues and for the signed history.
struct PurchasePages {
    /// The state that the pages show.
    let state: SandboxState
    /// The products and the accounts.
    let store: StoreCatalogue
    private var sales: SaleRules { SaleRules(state: state, store: store) }

    /// The maximum number of purchases and revoked orders of a page.
    static let purchasesOfPage = 500
    /// The maximum number of orders that are examined for a page. A page may have fewer purchases than
    /// fit, or none, and still name a next page.
    static let ordersOfPage = 2000

    /// A page of an account's purchases, oldest first. The last examined order names the next page.
    ///
    /// - Throws: The account is unknown, or the page does not exist (any more).
    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        limit: Int = PurchasePages.purchasesOfPage
    ) throws(StoreFailure) -> PurchasePage {
        _ = try sales.mayBuy(account)
        if let start = page.flatMap({ DeletedPage($0) }) {
            return deletedPage(start, of: account, limit: limit)
        }
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil),
            let orders = state.orderTable.paid(by: account, after: last ?? nil)
        else {
            throw StoreFailure(.internalError, "unknown page of purchases")
        }
        let locale = sales.locale
        var found = PurchasePage()
        var (end, looked) = (OrderID?.none, 0)
        for known in orders {
            guard found.purchases.count + found.revoked.count < limit, looked < Self.ordersOfPage
            else {
                found.next = end.map { OpaqueText($0.description) }
                break
            }
            (end, looked) = (known.order.order, looked + 1)
            let isRevoked = selection == .unfinished && known.order.state == .refunded
            guard isRevoked || isSelected(known, by: selection) else { continue }
            if isRevoked {
                found.revoked.append(
                    RevokedOrder(
                        order: known.order.order, product: known.order.product,
                        revocation: known.order.charge?.revocation
                            ?? OrderRevocation(at: known.paidAt),
                        keepsProduct: keepsProduct(known)))
            } else {
                found.purchases.append(purchase(known, locale: locale))
            }
        }
        if selection == .unfinished, found.next == nil, state.deletions.orders[account] != nil {
            found.next = DeletedPage.first.name
        }
        return found
    }

    /// A page of deleted orders. These pages follow the purchases.
    private func deletedPage(
        _ wanted: DeletedPage, of account: AccountName, limit: Int
    ) -> PurchasePage {
        let orders = state.deletions.orders[account, default: []]
        var start = 0
        // A deletion that is no longer listed is older than all listed ones.
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

    /// Whether text can name a page of purchases.
    static func isPageOfPurchases(_ text: String) -> Bool {
        OrderID(text) != nil || DeletedPage(OpaqueText(text)) != nil
    }

    /// Whether an order belongs to a selection of purchases.
    func isSelected(
        _ known: SandboxOrder, by selection: PurchaseSelection
    ) -> Bool {
        let order = known.order
        guard order.state == .purchased else { return false }
        switch selection {
        case .unfinished:
            guard !order.completed else { return false }
            return isPlanned(known)
                || state.latest(ofChain: order.original)?.order.order == order.order
        case .restorable, .entitlements:
            switch kind(of: known) {
            case .nonConsumable:
                return state.orderTable.owned(order.product, account: order.account)?.order.order
                    == order.order
            case .autoRenewableSubscription: return isServed(by: known)
            case .consumable, .nonRenewingSubscription, nil: return false
            }
        }
    }

    /// Whether the order requested a change that takes effect later.
    private func isPlanned(_ known: SandboxOrder) -> Bool {
        guard known.isScheduled,
            let subscription = state.subscription(ofChain: known.order.original)
        else { return false }
        return state.plan(of: subscription)?.order.order == known.order.order
    }

    private func isServed(by known: SandboxOrder) -> Bool {
        guard state.subscription(ofChain: known.order.original)?.isServed == true else {
            return false
        }
        return state.latest(ofChain: known.order.original)?.order.order == known.order.order
    }

    /// Whether the revocation of an order takes no product from its account.
    private func keepsProduct(_ revoked: SandboxOrder) -> Bool {
        let order = revoked.order
        switch kind(of: revoked) {
        case .nonConsumable:
            return state.orderTable.owned(order.product, account: order.account) != nil
        case .autoRenewableSubscription:
            guard !revoked.isScheduled else { return true }
            return state.latest(ofChain: order.original).map { isServed(by: $0) } ?? false
        case .consumable, .nonRenewingSubscription, nil: return false
        }
    }

    private func kind(of known: SandboxOrder) -> Product.Kind? {
        known.kind ?? store.product(known.order.product)?.type
    }

    private func purchase(
        _ known: SandboxOrder, locale: String
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

    /// The end of the paid period, with its grace period; nil if it never ends.
    func end(of known: SandboxOrder) -> Timestamp? {
        guard isServed(by: known) else { return known.order.expiresAt }
        return state.subscription(ofChain: known.order.original)?.graceUntil
            ?? known.order.expiresAt
    }

    /// The payments of an account, refunded or not, newest first. Dates are those of the sandbox's own
    /// clock. The cost grows with the result, not with the account's payments.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - page: The last order of the previous page; nil for the first page. Later payments do not
    ///     change the page.
    ///   - limit: The maximum number of payments.
    ///   - real: The real time.
    /// - Returns: The payments; nil if the account has no such page (any more).
    func history(
        of account: AccountName, page: OpaqueText? = nil, limit: Int = .max, at real: Timestamp
    ) -> HistoryStretch? {
        let last = page.map { OrderID($0.string) }
        guard last != .some(nil), let paid = state.orderTable.paid(by: account, before: last ?? nil)
        else {
            return nil
        }
        let fetchedAt = state.now(at: real)
        var history = TransactionHistory(transactions: [])
        // A scheduled change has not bought anything yet; its renewal is listed once it happens.
        for known in paid where !known.isScheduled {
            guard history.transactions.count < limit else {
                return HistoryStretch(history: history, isLast: false)
            }
            history.transactions.append(purchase(known, fetchedAt: fetchedAt))
        }
        return HistoryStretch(history: history, isLast: true)
    }

    private func purchase(
        _ known: SandboxOrder, fetchedAt: Timestamp
    ) -> InAppPurchase {
        let order = known.order
        let charge = order.charge ?? Charge(price: order.price)
        let sold = store.product(order.product)
        let kind = known.kind ?? sold?.type ?? .consumable
        let original = state.order(order.original)
        var purchase = InAppPurchase(
            bundleID: store.bundleID, order: order.order,
            // A catalogue with an amount that does not fit is refused when it is read.
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
            let group = state.subscription(ofChain: order.original)?.key.group
            purchase.subscriptionID =
                (group ?? sold?.subscriptionGroupIdentifier ?? order.product).string
        }
        return purchase
    }
}

/// The beginning of a page of deleted orders.
private enum DeletedPage {
    case first
    /// The deletions after this one.
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
