import PaymentClient
import StrictJSON

/// One purchase as its buyer sees it: told what the daemon says, it knows where it stands.
struct Purchase {
    /// Where it stands.
    enum Standing: Equatable {
        /// Under way; nil if it is not known what it waits for. Next: any.
        case waiting(for: String?)
        /// Paid, or given back by a restore. Next: refunded, completing, finished.
        case paid
        /// Paid, and taken back by the store before it was finished, in these words. Next: finished.
        case refunded(String)
        /// The goods are delivered, which the store is not told yet. Next: finished.
        case completing
        /// Ended without a purchase, for this reason. Next: none.
        case failed(String)
        /// Left the queue with the goods delivered. Next: none.
        case finished
        /// Left the queue without a purchase, for this reason. Next: none.
        case discarded(String)
    }

    /// The transaction's id.
    let transaction: String
    /// Where it stands.
    private(set) var standing: Standing
    /// The newest snapshot, once one was seen.
    private(set) var snapshot: JSONValue?

    /// Begins with the answer to `add`.
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

    /// The purchase for programs.
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

    /// Whether nothing more happens unless the buyer finishes it.
    var isSettled: Bool {
        if case .waiting = standing { false } else { true }
    }

    /// Whether it left the queue.
    var isRemoved: Bool {
        switch standing {
        case .finished, .discarded: true
        case .waiting, .paid, .refunded, .completing, .failed: false
        }
    }

    /// Takes in that the daemon has accepted the word that the goods are delivered.
    mutating func delivered() {
        if standing == .paid { standing = .completing }
    }

    /// Takes a notification in.
    ///
    /// - Returns: Whether it was about this purchase.
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

    /// Takes a snapshot in.
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
        // It is listed until the store is told, and must not be delivered a second time.
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
