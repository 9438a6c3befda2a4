public import PaymentCore

/// Names what replaces each other: an account has at most one subscription of a group.
public struct SubscriptionKey: Sendable, Hashable {
    /// Whose.
    public var account: AccountName
    /// The group, or the product where it has none.
    public var group: OpaqueText

    /// Names a subscription.
    public init(account: AccountName, group: OpaqueText) {
        self.account = account
        self.group = group
    }
}

/// A subscription as it stands: what is renewed, when, and for how much.
public struct SandboxSubscription: Sendable, Hashable {
    /// Where a subscription stands.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// Paid until its end.
        case active
        /// Its renewal could not be paid and is tried again.
        case retrying
        /// Over.
        case ended
    }

    /// A price that is to be paid from the next renewal on.
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

    /// An introductory offer, while the running period is charged by it.
    public struct Introductory: Sendable, Hashable {
        /// The price of each of its periods.
        public var price: Price
        /// How many periods of it are to come.
        public var left: Int

        /// Creates an offer.
        public init(price: Price, left: Int) {
            self.price = price
            self.left = left
        }
    }

    /// A change to another product that was dropped before it took effect.
    public struct DroppedPlan: Sendable, Hashable {
        /// The order that had asked for it.
        public var order: OrderID
        /// When it was dropped.
        public var at: Timestamp

        /// Names a change.
        public init(order: OrderID, at: Timestamp) {
            self.order = order
            self.at = at
        }
    }

    /// Whose, and of which group.
    public var key: SubscriptionKey
    /// The first order of the chain.
    public var original: OrderID
    /// The events that are subscribed to.
    public var product: ProductIdentifier
    /// Another product of the group that takes over with the next renewal.
    public var nextProduct: ProductIdentifier?
    /// The price of one period.
    public var price: Price
    /// Where it is charged.
    public var country: CountryCode
    /// How long a period is.
    public var period: SubscriptionPeriod
    /// Where the periods are counted from.
    public var anchor: Timestamp
    /// How many periods have begun since then.
    public var periods: Int
    /// When what was paid for ends.
    public var expiresAt: Timestamp
    /// Whether it is to be renewed then.
    public var autoRenews = true
    /// Where it stands.
    public var status = Status.active
    /// Until when it continues although its renewal was not paid.
    public var graceUntil: Timestamp?
    /// When the store stops trying to renew it.
    public var retryUntil: Timestamp?
    /// A higher price that was announced.
    public var increase: PriceIncrease?
    /// The introductory offer that the running period is charged by; then ``period`` is the offer's.
    public var introductory: Introductory?
    /// The change that was dropped last; its order is revoked.
    public var dropped: DroppedPlan?

    /// How long a renewal is tried again.
    static let retryDays: Int64 = 60

    /// Begins a subscription.
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

    /// When something happens to it next by itself; nil if nothing ever does.
    public var dueAt: Timestamp? {
        let due: Timestamp? =
            switch status {
            case .active: expiresAt
            case .retrying: graceUntil ?? retryUntil
            case .ended: nil
            }
        return due.flatMap { $0 < SandboxClock.end ? $0 : nil }
    }

    /// Whether it is to be served now: paid for, or within its grace. An end that is due counts from
    /// the moment that it has happened.
    public var isServed: Bool {
        switch status {
        case .active: true
        case .retrying: graceUntil != nil
        case .ended: false
        }
    }

    /// The same, over at a moment.
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

    /// The same, with its renewal unpaid since its end.
    func retrying(withGrace: Bool) -> SandboxSubscription {
        var retrying = self
        retrying.status = .retrying
        retrying.retryUntil = expiresAt.advanced(byDays: Self.retryDays)
        retrying.graceUntil =
            withGrace ? expiresAt.advanced(byDays: period.gracePeriodDays) : nil
        return retrying
    }
}

/// When subscriptions are due, soonest first: a binary heap whose entries may be out of date, but
/// for the first. It is worked out from the subscriptions, so it is no part of what states are
/// compared by.
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

    /// Drops first entries until one is right.
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
