public import StrictJSON

/// A transaction as the daemon shows it.
///
/// The members that programs act on have names here; ``snapshot`` has all of them, also those of
/// later daemons. Tolerate states that you do not know.
public struct ObservedTransaction: Sendable, Hashable {
    /// Everything that the daemon sent.
    public let snapshot: JSONValue
    /// The transaction's id, never used again for another.
    public let id: String

    /// Takes a snapshot; nil for something that is none.
    public init?(_ snapshot: JSONValue) {
        guard let id = snapshot["id"]?.stringValue else { return nil }
        self.snapshot = snapshot
        self.id = id
    }

    /// The state of a transaction. Unknown words are kept.
    public struct State: RawRepresentable, Sendable, Hashable {
        /// The word on the wire.
        public let rawValue: String

        /// Takes the word as it came.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Under way; ``ObservedTransaction/waitingFor`` says what it needs.
        public static let purchasing = State(rawValue: "purchasing")
        /// Paid: deliver if ``ObservedTransaction/mayUnlock``, then finish.
        public static let purchased = State(rawValue: "purchased")
        /// Owned from before: deliver if ``ObservedTransaction/mayUnlock``, then finish.
        public static let restored = State(rawValue: "restored")
        /// Not paid: finish.
        public static let failed = State(rawValue: "failed")
    }

    /// An amount that was taken.
    public struct Charge: Sendable, Hashable {
        /// Major units with the digits of the currency; `0.00` for what was free.
        public let amount: String
        /// The currency, as in ISO 4217.
        public let currencyCode: String
    }

    /// An order that the store took back.
    public struct Revocation: Sendable, Hashable {
        /// The moment, in RFC 3339.
        public let at: String
        /// The store's word for the reason, such as `refund`.
        public let reason: String
    }

    /// The state.
    public var state: State {
        State(rawValue: snapshot["transactionState"]?.stringValue ?? "")
    }

    /// The identifier of the product; empty if the daemon sent none.
    public var product: String {
        snapshot["payment"]?["product"]?["productIdentifier"]?.stringValue ?? ""
    }

    /// The order at the store; nil until there is one. Two transactions may name the same order, when
    /// it was restored or bought again: unlock by the order, and none is unlocked twice.
    public var order: String? { snapshot["transactionIdentifier"]?.stringValue }

    /// Whether what was bought may be unlocked: it is paid or restored, the store did not take it back,
    /// and it does not begin later. Finish it in any case.
    public var mayUnlock: Bool {
        (state == .purchased || state == .restored) && !isRevoked && offer != "scheduled"
    }

    /// Whether the store took the purchase back before it was finished. What was unlocked for its order
    /// is to be taken back too.
    public var isRevoked: Bool { snapshot["revocation"] != nil }

    /// When and why the store took it back; nil if it did not.
    public var revocation: Revocation? {
        snapshot["revocation"].map {
            Revocation(at: $0["at"]?.stringValue ?? "", reason: $0["reason"]?.stringValue ?? "")
        }
    }

    /// The amount charged for the order, which a refund does not change; nil until it was charged.
    public var charged: Charge? {
        guard let charged = snapshot["charged"], let amount = charged["amount"]?.stringValue
        else { return nil }
        return Charge(amount: amount, currencyCode: charged["currencyCode"]?.stringValue ?? "")
    }

    /// Why that is not the price of the product: `introductory`, `alreadyOwned` or `scheduled`; nil
    /// where it is.
    public var offer: String? { snapshot["offer"]?.stringValue }

    /// When a scheduled change of subscription takes effect, in RFC 3339; its renewal brings the goods.
    public var effectiveAt: String? { snapshot["effectiveAt"]?.stringValue }

    /// The application's own account, as it was given with the payment.
    public var appAccountToken: String? { snapshot["payment"]?["appAccountToken"]?.stringValue }

    /// The condition that a running purchase waits for; `approval` is what StoreKit calls deferred.
    public var waitingFor: String? { snapshot["waitingFor"]?.stringValue }

    /// Grows with each record of the transaction.
    public var revision: Int64 { snapshot["revision"]?.intValue ?? 0 }

    /// Whether it was finished already and only the store has to hear of it.
    public var isCompleting: Bool { snapshot["completing"]?.boolValue == true }

    /// Why it failed; nil if it did not.
    public var failure: String? {
        guard let error = snapshot["error"] else { return nil }
        return snapshot["failureReason"]?.stringValue ?? error.members?.first?.name ?? "unknown"
    }
}
