import PaymentCore

/// The number of subscriptions in each state, and the subscriptions that need an action by a person. The
/// rolls are derived from the subscriptions, so states compare without them.
struct SubscriptionRolls: Sendable, Hashable {
    /// A subscription that needs an action by a person.
    struct Entry: Sendable {
        let since: Timestamp
        let original: OrderID
        let key: SubscriptionKey

        init(_ subscription: SandboxSubscription) {
            since = subscription.expiresAt
            original = subscription.original
            key = subscription.key
        }

        func precedes(_ other: Entry) -> Bool {
            since == other.since
                ? UniqueID.precedes(original.value, other.original.value) : since < other.since
        }
    }

    /// The number of subscriptions in each state.
    private(set) var counts: [SandboxSubscription.Status: Int] = [:]
    /// The subscriptions that need an action by a person, by the end of the paid period.
    private(set) var waiting: [Entry] = []

    /// Replaces a subscription by another; nil for none.
    mutating func replace(_ old: SandboxSubscription?, by new: SandboxSubscription?) {
        if let old {
            counts[old.status, default: 1] -= 1
            if old.waitsForPerson { waiting.remove(at: position(of: Entry(old))) }
        }
        if let new {
            counts[new.status, default: 0] += 1
            if new.waitsForPerson {
                let entry = Entry(new)
                waiting.insert(entry, at: position(of: entry))
            }
        }
    }

    private func position(of entry: Entry) -> Int {
        waiting.firstPosition { !$0.precedes(entry) }
    }

    static func == (left: SubscriptionRolls, right: SubscriptionRolls) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

extension SandboxSubscription {
    /// Whether the subscription ends unless a person pays or consents.
    public var waitsForPerson: Bool {
        switch status {
        case .active: increase?.isAgreed == false
        case .retrying: true
        case .ended: false
        }
    }
}
