import PaymentCore

/// The store's facts about the account in session, and the requests for them.
///
/// An answer is applied unless a later answer, or a login, came before it.
struct SessionFacts {
    /// Whether the store lets the account buy.
    var paymentsAllowed = true
    /// The groups for which the account was charged an introductory offer; nil while they are
    /// unknown.
    private(set) var introduced: Set<OpaqueText>?
    /// The number of sessions that the store has opened. An answer to a request from before the
    /// last one concerns an earlier session.
    private(set) var sessionsOpened: UInt64 = 0
    /// The number of sessions that the store has ended.
    private(set) var sessionsEnded: UInt64 = 0
    private var asked: UInt64 = 0
    /// The newest request whose answer the facts contain or supersede.
    private var answered: UInt64 = 0

    /// Whether a request is pending whose answer would be applied.
    var isAwaited: Bool { answered < asked }

    /// Counts a request.
    ///
    /// - Returns: Its number, for ``answer(_:)``.
    mutating func ask() -> UInt64 {
        asked += 1
        return asked
    }

    /// Notes an answer.
    ///
    /// - Returns: Whether it must be applied.
    mutating func answer(_ question: UInt64) -> Bool {
        guard question > answered else { return false }
        answered = question
        return true
    }

    /// Ensures that the answers to all pending requests are ignored.
    mutating func dropQuestions() {
        answered = asked
    }

    /// Notes that the store has opened a session: answers to earlier requests concern another
    /// session.
    mutating func sessionOpened() {
        dropQuestions()
        sessionsOpened += 1
    }

    /// Notes that the store has ended a session.
    mutating func sessionEnded() {
        sessionsEnded += 1
    }

    /// Replaces the facts. Without facts the account may buy, because the store can still refuse
    /// the order.
    mutating func use(_ facts: AccountFacts?) {
        paymentsAllowed = facts?.paymentsAllowed ?? true
        introduced = facts?.introduced
    }

    /// Notes that the account was charged an introductory offer.
    mutating func introduce(_ group: OpaqueText) {
        introduced?.insert(group)
    }
}
