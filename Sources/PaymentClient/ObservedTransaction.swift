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
        /// Paid: deliver, then finish.
        public static let purchased = State(rawValue: "purchased")
        /// Owned from before: deliver, then finish.
        public static let restored = State(rawValue: "restored")
        /// Not paid: finish.
        public static let failed = State(rawValue: "failed")
    }

    /// The state.
    public var state: State {
        State(rawValue: snapshot["transactionState"]?.stringValue ?? "")
    }

    /// The identifier of the product; empty if the daemon sent none.
    public var product: String {
        snapshot["payment"]?["product"]?["productIdentifier"]?.stringValue ?? ""
    }

    /// The application's own account, as it was given with the payment.
    public var appAccountToken: String? { snapshot["payment"]?["appAccountToken"]?.stringValue }

    /// What a purchase under way needs; `approval` is what StoreKit calls deferred.
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
