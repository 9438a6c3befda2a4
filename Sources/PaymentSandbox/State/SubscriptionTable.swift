import PaymentCore

/// The subscriptions, indexed by account and group, by the first order of their chain, and by due time.
struct SubscriptionTable: Sendable, Hashable {
    private var byKey: [SubscriptionKey: SandboxSubscription] = [:]
    private var keys: [OrderID: SubscriptionKey] = [:]
    private var dues = DueList()
    /// The counts by state, and the subscriptions that need an action by a person.
    private(set) var rolls = SubscriptionRolls()

    subscript(key: SubscriptionKey) -> SandboxSubscription? { byKey[key] }

    subscript(chain original: OrderID) -> SandboxSubscription? {
        keys[original].flatMap { byKey[$0] }
    }

    /// All subscriptions, in no order.
    var values: some Collection<SandboxSubscription> { byKey.values }

    /// The next due event: its time and its subscription; nil if there is none.
    var nextDue: (at: Timestamp, subscription: SandboxSubscription)? {
        guard let first = dues.first, let due = byKey[first.key] else { return nil }
        return (first.at, due)
    }

    /// Adds a subscription, or replaces the one of its account and group.
    mutating func keep(_ subscription: SandboxSubscription) {
        let before = byKey.updateValue(subscription, forKey: subscription.key)
        rolls.replace(before, by: subscription)
        if let before, before.original != subscription.original { keys[before.original] = nil }
        keys[subscription.original] = subscription.key
        if let due = subscription.dueAt, due != before?.dueAt {
            dues.insert(
                DueList.Entry(at: due, original: subscription.original, key: subscription.key))
        }
        dropStaleDues()
    }

    /// Removes the subscription that began with an order, if there is one.
    mutating func remove(chain original: OrderID) {
        guard let key = keys.removeValue(forKey: original) else { return }
        rolls.replace(byKey.removeValue(forKey: key), by: nil)
        dropStaleDues()
    }

    private mutating func dropStaleDues() {
        dues.drop { [byKey] entry in
            guard let current = byKey[entry.key] else { return true }
            return current.original != entry.original || current.dueAt != entry.at
        }
    }
}
