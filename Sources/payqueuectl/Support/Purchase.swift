import PaymentClient
import StrictJSON

/// The state of one purchase, updated from the daemon's answers and notifications.
struct Purchase {
    /// The state of a purchase.
    enum Standing: Equatable {
        /// Waiting, with the condition if known. Next: any.
        case waiting(for: String?)
        /// Paid, or returned by a restore. Next: refunded, completing, finished.
        case paid
        /// Paid, and revoked by the store before it was finished, with the reason. Next: finished.
        case refunded(String)
        /// Delivered; the completion is not yet reported to the store. Next: finished.
        case completing
        /// Ended without a purchase, with the reason. Next: none.
        case failed(String)
        /// Left the queue after delivery. Next: none.
        case finished
        /// Left the queue without a purchase, with the reason. Next: none.
        case discarded(String)
    }

    /// The transaction's id.
    let transaction: String
    /// The state of the purchase.
    private(set) var standing: Standing
    /// The newest snapshot; nil before the first one.
    private(set) var snapshot: JSONValue?

    /// Creates the purchase from the answer to `add`.
    init(answer: JSONValue) {
        let answer = answer.plain
        transaction = answer["transaction"]?.stringValue ?? ""
        if let removed = answer["removed"] {
            standing = Self.removal(
                reason: removed["reason"]?.stringValue, paid: answer["state"]?.stringValue)
        } else {
            standing = Self.standing(
                state: answer["state"]?.stringValue, waitingFor: answer["waitingFor"]?.stringValue,
                failure: nil)
        }
    }

    /// The purchase as JSON for programs.
    func summary(key: String) -> JSONValue {
        let (word, reason): (String, String?) =
            switch standing {
            case .waiting(let reason): ("waiting", reason)
            case .paid: ("purchased", nil)
            case .refunded(let reason): ("refunded", reason)
            case .completing: ("finishing", nil)
            case .failed(let reason): ("failed", reason)
            case .finished: ("finished", nil)
            case .discarded(let reason): ("removed", reason)
            }
        return .parameters([
            ("key", .string(key)), ("transaction", .string(transaction)),
            ("outcome", .string(word)), ("reason", reason.map(JSONValue.string)),
            ("snapshot", snapshot),
        ]) ?? .null
    }

    /// Whether only the buyer's finish is left.
    var isSettled: Bool {
        if case .waiting = standing { false } else { true }
    }

    /// Whether the purchase left the queue.
    var isRemoved: Bool {
        switch standing {
        case .finished, .discarded: true
        case .waiting, .paid, .refunded, .completing, .failed: false
        }
    }

    /// Records that the daemon has accepted the finish.
    mutating func delivered() {
        if standing == .paid { standing = .completing }
    }

    /// Updates the purchase from a notification.
    ///
    /// - Returns: Whether the notification concerned this purchase.
    mutating func take(_ notification: ServerNotification) -> Bool {
        guard notification.method == "event",
            let found = notification.params["transactions"]?.arrayValue?
                .first(where: { $0["id"]?.stringValue == transaction })?.plain
        else { return false }
        if notification.params["kind"]?.stringValue == "transactionsRemoved" {
            standing = Self.removal(
                reason: notification.params["reason"]?.plain.stringValue,
                paid: found["transactionState"]?.stringValue)
            if let refund = ChargeText.refund(found) { standing = .discarded(refund) }
            snapshot = found
        } else {
            take(snapshot: found)
        }
        return true
    }

    /// Updates the purchase from a snapshot.
    mutating func take(snapshot: JSONValue) {
        let snapshot = snapshot.plain
        self.snapshot = snapshot
        standing = Self.standing(
            state: snapshot["transactionState"]?.stringValue,
            waitingFor: snapshot["waitingFor"]?.stringValue,
            failure: TransactionText.failure(snapshot))
        if standing == .paid, let refund = ChargeText.refund(snapshot) {
            standing = .refunded(refund)
        }
        // It stays listed until the store is notified, and must not be delivered again.
        if snapshot["completing"]?.boolValue == true { delivered() }
    }

    private static func standing(
        state: String?, waitingFor: String?, failure: String?
    ) -> Standing {
        switch state {
        case "purchased", "restored": .paid
        case "failed": .failed(failure ?? "the store gave no reason")
        default: .waiting(for: waitingFor)
        }
    }

    private static func removal(reason: String?, paid state: String?) -> Standing {
        let wasPaid = state == "purchased" || state == "restored"
        if reason == "finished", wasPaid { return .finished }
        return .discarded(reason.map(Wording.of) ?? "no reason given")
    }
}
