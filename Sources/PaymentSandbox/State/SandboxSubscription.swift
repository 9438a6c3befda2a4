public import PaymentCore

/// The identity of a subscription. An account has at most one subscription of a group.
public struct SubscriptionKey: Sendable, Hashable {
    /// The account.
    public var account: AccountName
    /// The group; the product for a product without a group.
    public var group: OpaqueText

    /// Creates an identity.
    public init(account: AccountName, group: OpaqueText) {
        self.account = account
        self.group = group
    }
}

/// A subscription: its product, its periods and its price.
public struct SandboxSubscription: Sendable, Hashable {
    /// The states of a subscription.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The current period is paid.
        case active
        /// The renewal could not be paid; the store retries.
        case retrying
        /// The subscription has ended.
        case ended
    }

    /// A higher price from the next renewal on.
    public struct PriceIncrease: Sendable, Hashable {
        /// The new price.
        public var price: Price
        /// Whether the subscriber has agreed.
        public var isAgreed: Bool

        /// Creates an increase.
        public init(price: Price, isAgreed: Bool) {
            self.price = price
            self.isAgreed = isAgreed
        }
    }

    /// The introductory offer at whose price the current period is charged.
    public struct Introductory: Sendable, Hashable {
        /// The price of each period of the offer.
        public var price: Price
        /// The number of later periods of the offer.
        public var left: Int

        /// Creates an offer.
        public init(price: Price, left: Int) {
            self.price = price
            self.left = left
        }
    }

    /// A change to another product that was dropped before it took effect.
    public struct DroppedPlan: Sendable, Hashable {
        /// The order that requested the change.
        public var order: OrderID
        /// The time when it was dropped.
        public var at: Timestamp

        /// Creates a dropped change.
        public init(order: OrderID, at: Timestamp) {
            self.order = order
            self.at = at
        }
    }

    /// The account and the group.
    public var key: SubscriptionKey
    /// The first order of the chain.
    public var original: OrderID
    /// The product of the current period.
    public var product: ProductIdentifier
    /// The product from the next renewal on, if it changes.
    public var nextProduct: ProductIdentifier?
    /// The price of one period.
    public var price: Price
    /// The country of the charge.
    public var country: CountryCode
    /// The length of a period.
    public var period: SubscriptionPeriod
    /// The beginning of the first period.
    public var anchor: Timestamp
    /// The number of periods that have begun since ``anchor``.
    public var periods: Int
    /// The end of the current period.
    public var expiresAt: Timestamp
    /// Whether the subscription renews at ``expiresAt``.
    public var autoRenews = true
    /// The state.
    public var status = Status.active
    /// The end of the grace period, in which the subscription is served without payment.
    public var graceUntil: Timestamp?
    /// The time of the last billing retry.
    public var retryUntil: Timestamp?
    /// The price increase that was announced.
    public var increase: PriceIncrease?
    /// The introductory offer of the current period; ``period`` is then the period of the offer.
    public var introductory: Introductory?
    /// The last dropped change; its order is revoked.
    public var dropped: DroppedPlan?

    /// The days of billing retry after the end of a period.
    static let retryDays: Int64 = 60

    /// Creates a subscription in its first period.
    public init(
        key: SubscriptionKey, original: OrderID, product: ProductIdentifier, price: Price,
        country: CountryCode, period: SubscriptionPeriod, from anchor: Timestamp
    ) {
        self.key = key
        self.original = original
        self.product = product
        self.price = price
        self.country = country
        self.period = period
        self.anchor = anchor
        periods = 1
        expiresAt = period.end(ofPeriod: 1, from: anchor)
    }

    /// The time of the next event without a request; nil if there is none.
    public var dueAt: Timestamp? {
        let due: Timestamp? =
            switch status {
            case .active: expiresAt
            case .retrying: graceUntil ?? retryUntil
            case .ended: nil
            }
        return due.flatMap { $0 < SandboxClock.end ? $0 : nil }
    }

    /// Whether the account is entitled to the product: the period is paid, or in grace. An end that is
    /// due counts once its event was applied.
    public var isServed: Bool {
        switch status {
        case .active: true
        case .retrying: graceUntil != nil
        case .ended: false
        }
    }

    /// The subscription, ended at a time.
    func ended(at moment: Timestamp) -> SandboxSubscription {
        var ended = self
        ended.status = .ended
        ended.autoRenews = false
        ended.nextProduct = nil
        ended.increase = nil
        ended.graceUntil = nil
        ended.retryUntil = nil
        ended.expiresAt = min(expiresAt, moment)
        return ended
    }

    /// The subscription in billing retry, unpaid since the end of its period.
    func retrying(withGrace: Bool) -> SandboxSubscription {
        var retrying = self
        retrying.status = .retrying
        retrying.retryUntil = expiresAt.advanced(byDays: Self.retryDays)
        retrying.graceUntil =
            withGrace ? expiresAt.advanced(byDays: period.gracePeriodDays) : nil
        return retrying
    }
}

/// The times when subscriptions are due: a binary heap, soonest first. All entries but the first may be
/// out of date. The list is derived from the subscriptions, so states compare without it.
struct DueList: Sendable, Hashable {
    struct Entry: Sendable {
        let at: Timestamp
        let original: OrderID
        let key: SubscriptionKey

        func precedes(_ other: Entry) -> Bool {
            at == other.at
                ? UniqueID.precedes(original.value, other.original.value) : at < other.at
        }
    }

    private var heap: [Entry] = []

    var first: Entry? { heap.first }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes entries from the front until one is up to date.
    mutating func drop(while isStale: (Entry) -> Bool) {
        while let first = heap.first, isStale(first) { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].precedes(heap[least]) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    static func == (left: DueList, right: DueList) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
