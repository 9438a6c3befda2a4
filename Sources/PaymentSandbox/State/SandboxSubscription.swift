public import PaymentCore

/// The key of a subscription: an account has at most one subscription of a group.
public struct SubscriptionKey: Sendable, Hashable {
    /// The account.
    public var account: AccountName
    /// The group, or the product without a group.
    public var group: OpaqueText

    /// Creates a key.
    public init(account: AccountName, group: OpaqueText) {
        self.account = account
        self.group = group
    }
}

/// A subscription: its product, next renewal and price.
public struct SandboxSubscription: Sendable, Hashable {
    /// The state of a subscription.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The current period is paid.
        case active
        /// The renewal could not be paid and is retried.
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

    /// The introductory offer that applies to the current period.
    public struct Introductory: Sendable, Hashable {
        /// The price of each of its periods.
        public var price: Price
        /// The number of its remaining periods.
        public var left: Int

        /// Creates an offer.
        public init(price: Price, left: Int) {
            self.price = price
            self.left = left
        }
    }

    /// A change to another product that was dropped before it took effect.
    public struct DroppedPlan: Sendable, Hashable {
        /// The order that scheduled it.
        public var order: OrderID
        /// When it was dropped.
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
    /// The subscribed product.
    public var product: ProductIdentifier
    /// The product of the group that takes over with the next renewal; nil without a scheduled
    /// change.
    public var nextProduct: ProductIdentifier?
    /// The price of one period.
    public var price: Price
    /// The country of the charges.
    public var country: CountryCode
    /// The length of a period.
    public var period: SubscriptionPeriod
    /// The time from which periods are counted.
    public var anchor: Timestamp
    /// The number of periods that have begun since the anchor.
    public var periods: Int
    /// The end of the paid period.
    public var expiresAt: Timestamp
    /// Whether it is renewed at that time.
    public var autoRenews = true
    /// The state of the subscription.
    public var status = Status.active
    /// Until when it continues although its renewal was not paid.
    public var graceUntil: Timestamp?
    /// When the store stops trying to renew it.
    public var retryUntil: Timestamp?
    /// An announced price increase.
    public var increase: PriceIncrease?
    /// The introductory offer of the current period; ``period`` is then that of the offer.
    public var introductory: Introductory?
    /// The change that was dropped last; its order is revoked.
    public var dropped: DroppedPlan?

    /// The number of days for which an unpaid renewal is retried.
    static let retryDays: Int64 = 60

    /// Creates a subscription.
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

    /// The time of its next due event; nil if there is none.
    public var dueAt: Timestamp? {
        let due: Timestamp? =
            switch status {
            case .active: expiresAt
            case .retrying: graceUntil ?? retryUntil
            case .ended: nil
            }
        return due.flatMap { $0 < SandboxClock.end ? $0 : nil }
    }

    /// Whether it is active: paid, or in its grace period. A due end counts when its event is
    /// recorded.
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

    /// The subscription with an unpaid renewal since its end.
    func retrying(withGrace: Bool) -> SandboxSubscription {
        var retrying = self
        retrying.status = .retrying
        retrying.retryUntil = expiresAt.advanced(byDays: Self.retryDays)
        retrying.graceUntil =
            withGrace ? expiresAt.advanced(byDays: period.gracePeriodDays) : nil
        return retrying
    }
}

/// The due times of subscriptions, soonest first: a binary heap whose entries may be stale, except
/// the first. It is derived from the subscriptions and therefore not part of the comparison of
/// states.
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

    /// Removes first entries while they are stale.
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
