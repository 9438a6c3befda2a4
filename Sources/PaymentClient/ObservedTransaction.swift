public import StrictJSON

/// A transaction as the daemon reports it.
///
/// The common members have accessors; ``snapshot`` has all members, including those of later
/// daemons. Clients must accept unknown states.
public struct ObservedTransaction: Sendable, Hashable {
    /// All members that the daemon sent.
    public let snapshot: JSONValue
    /// The identifier of the transaction. It is never reused.
    public let id: String

    /// Wraps a snapshot; nil if it has no `id`.
    public init?(_ snapshot: JSONValue) {
        guard let id = snapshot["id"]?.stringValue else { return nil }
        self.snapshot = snapshot
        self.id = id
    }

    /// The state of a transaction. Unknown words are preserved.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Wraps a word from the wire.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// In progress; ``ObservedTransaction/waitingFor`` names the condition it waits for.
        public static let purchasing = State(rawValue: "purchasing")
        /// Paid: deliver if ``ObservedTransaction/mayUnlock``, then finish.
        public static let purchased = State(rawValue: "purchased")
        /// Owned from an earlier purchase: deliver if ``ObservedTransaction/mayUnlock``, then
        /// finish.
        public static let restored = State(rawValue: "restored")
        /// Not paid: finish.
        public static let failed = State(rawValue: "failed")
    }

    /// An amount charged by the store.
    public struct Charge: Sendable, Hashable {
        /// The amount in major units, with the decimals of the currency; `0.00` for a free order.
        public let amount: String
        /// The currency code of ISO 4217.
        public let currencyCode: String
    }

    /// The refund or revocation of an order.
    public struct Revocation: Sendable, Hashable {
        /// The time, in RFC 3339.
        public let at: String
        /// The store's reason, such as `refund`.
        public let reason: String
    }

    /// The state of the transaction.
    public var state: State {
        State(rawValue: snapshot["transactionState"]?.stringValue ?? "")
    }

    /// The identifier of the product; empty if the daemon did not send it.
    public var product: String {
        snapshot["payment"]?["product"]?["productIdentifier"]?.stringValue ?? ""
    }

    /// The order at the store; nil until there is one. Two transactions may have the same order,
    /// after a restore or a repeated purchase. Unlock per order, so that nothing is unlocked twice.
    public var order: String? { snapshot["transactionIdentifier"]?.stringValue }

    /// True if the goods may be unlocked: the transaction is purchased or restored, not revoked,
    /// and not scheduled for later. The transaction must be finished in any case.
    public var mayUnlock: Bool {
        (state == .purchased || state == .restored) && !isRevoked && offer != "scheduled"
    }

    /// True if the store revoked the purchase before it was finished. Goods unlocked for its order
    /// must be locked again.
    public var isRevoked: Bool { snapshot["revocation"] != nil }

    /// The time and reason of the refund or revocation; nil if there is none.
    public var revocation: Revocation? {
        snapshot["revocation"].map {
            Revocation(at: $0["at"]?.stringValue ?? "", reason: $0["reason"]?.stringValue ?? "")
        }
    }

    /// The amount charged for the order; nil before the charge. A refund does not change it.
    public var charged: Charge? {
        guard let charged = snapshot["charged"], let amount = charged["amount"]?.stringValue
        else { return nil }
        return Charge(amount: amount, currencyCode: charged["currencyCode"]?.stringValue ?? "")
    }

    /// The reason why the charge differs from the price: `introductory`, `alreadyOwned` or
    /// `scheduled`; nil if it does not.
    public var offer: String? { snapshot["offer"]?.stringValue }

    /// The start of a scheduled change of subscription, in RFC 3339. Its renewal delivers the
    /// goods.
    public var effectiveAt: String? { snapshot["effectiveAt"]?.stringValue }

    /// The application's own account token from the payment.
    public var appAccountToken: String? { snapshot["payment"]?["appAccountToken"]?.stringValue }

    /// The condition that a purchase in progress waits for; `approval` is StoreKit's deferred
    /// state.
    public var waitingFor: String? { snapshot["waitingFor"]?.stringValue }

    /// The revision of the transaction; it grows with each record.
    public var revision: Int64 { snapshot["revision"]?.intValue ?? 0 }

    /// True if the transaction is finished and only the report to the store is pending.
    public var isCompleting: Bool { snapshot["completing"]?.boolValue == true }

    /// The cause of a failure; nil if the transaction did not fail.
    public var failure: String? {
        guard let error = snapshot["error"] else { return nil }
        return snapshot["failureReason"]?.stringValue ?? error.members?.first?.name ?? "unknown"
    }
}
