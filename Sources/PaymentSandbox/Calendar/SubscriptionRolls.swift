import PaymentCore

/// How many subscriptions are in each state, and which of them wait for a person, by the end of what was
/// paid. It is worked out from the subscriptions, so it is no part of what states are compared by.
struct SubscriptionRolls: Sendable, Hashable {
    /// A subscription that waits for a person.
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

    /// How many subscriptions are in each state.
    private(set) var counts: [SandboxSubscription.Status: Int] = [:]
    /// The subscriptions that wait for a person, by the end of what was paid.
    private(set) var waiting: [Entry] = []

    /// Notes that a subscription took the place of another; nil for none.
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
    /// Whether it waits for a payment or a consent, and ends otherwise.
    public var waitsForPerson: Bool {
        switch status {
        case .active: increase?.isAgreed == false
        case .retrying: true
        case .ended: false
        }
    }
}
