public import PaymentCore

/// A store as a small value: what it sells, to whom, and which orders it holds.
///
/// It charges once per transaction however often it is asked, as every store must.
public struct StoreModel: Sendable {
    /// An order.
    public struct Order: Sendable, Hashable {
        /// Names it.
        public let id: OrderID
        /// What was asked.
        public let request: OrderRequest
        /// What became of it.
        public var state: State
        /// How often the store was told that the goods were delivered.
        public var completions = 0

        /// What became of an order.
        public enum State: Sendable, Hashable {
            /// Somebody has to approve it.
            case deferred
            /// It was paid.
            case paid
            /// It was not paid and will not be.
            case failed(PaymentFailure)
        }
    }

    /// What the store does with an order it has not seen.
    public enum Mood: Sendable, Hashable {
        /// Charges.
        case charging
        /// Waits for an approval.
        case deferring
        /// Declines.
        case declining
    }

    /// The accounts and where they are.
    public var countries: [AccountName: CountryCode] = [
        Samples.anna: Samples.germany, Samples.bert: Samples.france,
    ]
    /// Accounts that may not buy.
    public var barred: Set<AccountName> = []
    /// The groups that accounts were charged an introductory offer of.
    public var introduced: [AccountName: Set<OpaqueText>] = [:]
    /// What is sold, where it differs from the samples.
    public var catalogues: [CountryCode: Catalogue] = [:]
    /// What becomes of new orders.
    public var mood = Mood.charging
    /// Orders by the transactions that asked for them.
    public private(set) var orders: [TransactionID: Order] = [:]
    /// Orders in the order of their making.
    public private(set) var history: [TransactionID] = []
    /// Purchases that no transaction of this queue asked for, by account; `isCompleted` is kept true
    /// to what the store was told.
    public var elsewhere: [AccountName: [StorePurchase]] = [:]
    /// Orders that were taken back.
    public var revoked: [AccountName: [RevokedOrder]] = [:]
    /// How many purchases fit on a page; nil for any number.
    public var pageSize: Int?
    /// Whether an attempt that was turned down may still be charged when it comes again. A store that
    /// keeps its word does not do that; one that was built before attempts were counted does.
    public var forgetsRefusals = false
    /// What was turned down, by transaction: the attempt, and what it was told.
    private var refusals: [TransactionID: [(attempt: UInt32, answer: Refusal)]] = [:]
    private var places: [OrderID: TransactionID] = [:]

    /// A store without orders.
    public init() {}

    /// The order of an identifier.
    public func order(_ id: OrderID) -> Order? {
        places[id].flatMap { orders[$0] }
    }

    /// What is sold in a country.
    public func catalogue(of country: CountryCode) -> Catalogue {
        catalogues[country] ?? Samples.catalogue(of: country)
    }

    /// What is known of an account.
    public func facts(of account: AccountName) -> AccountFacts {
        AccountFacts(
            country: countries[account], paymentsAllowed: !barred.contains(account),
            introduced: introduced[account, default: []])
    }

    /// A session for an account, if it is known.
    public func logIn(_ account: AccountName) throws(StoreFailure) -> Session {
        guard let country = countries[account] else {
            throw StoreFailure(.unknownAccount, "there is no account \(account)")
        }
        return Session(account: account, country: country)
    }

    /// Charges for a transaction, or says what became of that.
    public mutating func submit(_ request: OrderRequest) -> OrderOutcome {
        if let order = orders[request.transaction] { return outcome(order) }
        let sold = catalogue(of: request.country).product(request.product.productIdentifier)
        if let refusal = refusals[request.transaction]?.first(where: {
            $0.attempt >= request.attempt && !forgetsRefusals
        }) {
            return turnedDown(sold ?? request.product, refusal.answer)
        }
        if let refusal = refusal(of: request, sold: sold) {
            refusals[request.transaction, default: []].append((request.attempt, refusal))
            return turnedDown(sold ?? request.product, refusal)
        }
        let state: Order.State =
            switch mood {
            case .charging: .paid
            case .deferring: .deferred
            case .declining: .failed(.declined)
            }
        let order = Order(
            id: Samples.order(UInt64(history.count + 1)), request: request, state: state)
        orders[request.transaction] = order
        places[order.id] = request.transaction
        history.append(request.transaction)
        return outcome(order)
    }

    /// A page of what an account has paid for. What was taken back is named on the first one.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?
    ) -> PurchasePage {
        var all = purchases(selection, of: account)
        guard let pageSize else { return all }
        // The list may have become shorter since the page before was asked for.
        let start = min(page.flatMap { Int($0.string) } ?? 0, all.purchases.count)
        let end = min(start + pageSize, all.purchases.count)
        if end < all.purchases.count { all.next = OpaqueText("\(end)") }
        if start > 0 { all.revoked = [] }
        all.purchases = Array(all.purchases[start..<end])
        return all
    }

    /// What an account has paid for, all on one page.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName
    ) -> PurchasePage {
        let taken = Set(revoked[account, default: []].map(\.order))
        let own = history.compactMap { orders[$0] }.filter {
            $0.request.account == account && $0.state == .paid
        }.map { order in
            StorePurchase(
                order: order.id, original: order.id, transaction: order.request.transaction,
                product: order.request.product, country: order.request.country,
                appAccountToken: order.request.appAccountToken,
                isCompleted: order.completions > 0, purchasedAt: Timestamp(milliseconds: 0))
        }
        let all = (own + elsewhere[account, default: []]).filter { !taken.contains($0.order) }
        switch selection {
        case .unfinished:
            return PurchasePage(
                purchases: newestOfChains(all.filter { !$0.isCompleted }),
                revoked: revoked[account, default: []])
        case .restorable, .entitlements:
            return PurchasePage(
                purchases: newestOfChains(all.filter { $0.product.type.isBoughtOnce }))
        }
    }

    private func newestOfChains(_ purchases: [StorePurchase]) -> [StorePurchase] {
        var newest: [OrderID: StorePurchase] = [:]
        for purchase in purchases { newest[purchase.original] = purchase }
        return purchases.filter { newest[$0.original] == $0 }
    }

    /// Takes note that the goods of an order were delivered.
    public mutating func complete(
        _ order: OrderID, _ account: AccountName
    ) throws(StoreFailure) {
        if let known = elsewhere[account]?.first(where: { $0.order == order }) {
            // What completes the newest of a chain completes the older ones.
            for index in elsewhere[account, default: []].indices
            where elsewhere[account]?[index].original == known.original {
                elsewhere[account]?[index].isCompleted = true
            }
            if let first = places[known.original] { orders[first]?.completions += 1 }
            return
        }
        guard let transaction = places[order], let known = orders[transaction],
            known.state == .paid, known.request.account == account
        else { throw StoreFailure(.internalError, "there is no paid order \(order)") }
        orders[transaction]?.completions += 1
    }

    /// Decides about an order that waits for an approval.
    public mutating func decide(_ transaction: TransactionID, isApproved: Bool) {
        guard orders[transaction]?.state == .deferred else { return }
        orders[transaction]?.state =
            isApproved ? .paid : .failed(PaymentFailure(.cancelled))
    }

    private func revocation(of order: OrderID, _ account: AccountName) -> OrderRevocation? {
        revoked[account]?.first { $0.order == order }?.revocation
    }

    /// Why nothing is charged.
    private enum Refusal {
        case country(CountryCode)
        case price(Price)
        case notSold
    }

    private func refusal(of request: OrderRequest, sold: Product?) -> Refusal? {
        if let country = countries[request.account], country != request.country {
            return .country(country)
        }
        guard let sold else { return .notSold }
        return sold.price == request.product.price ? nil : .price(sold.price)
    }

    private func turnedDown(_ product: Product, _ refusal: Refusal) -> OrderOutcome {
        switch refusal {
        case .country(let country): return .countryChanged(country)
        case .notSold: return .notSold
        case .price(let price):
            var product = product
            product.price = price
            return .priceChanged(product)
        }
    }

    private func outcome(_ order: Order) -> OrderOutcome {
        switch order.state {
        case .paid:
            .purchased(
                PaidOrder(
                    order: order.id, original: order.id,
                    appAccountToken: order.request.appAccountToken,
                    charge: Charge(
                        price: order.request.product.price,
                        revocation: revocation(of: order.id, order.request.account))))
        case .deferred: .deferred(order: order.id)
        case .failed(let failure): .failed(failure, order: order.id)
        }
    }
}
