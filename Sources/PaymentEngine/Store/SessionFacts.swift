import PaymentCore

/// The facts that the store has told about the account in session, and the questions for them.
///
/// An answer counts unless a later one, or a login, has come before it.
struct SessionFacts {
    /// Whether the store lets the account buy.
    var paymentsAllowed = true
    /// The groups that the account was charged an introductory offer of; nil while that is unknown.
    private(set) var introduced: Set<OpaqueText>?
    /// How many sessions the store has opened. What it says to a question from before the last of them
    /// is about an earlier session.
    private(set) var sessionsOpened: UInt64 = 0
    /// How many sessions the store has ended.
    private(set) var sessionsEnded: UInt64 = 0
    private var asked: UInt64 = 0
    /// The newest question that the facts are an answer to, or newer than.
    private var answered: UInt64 = 0

    /// Whether a question is open whose answer would count.
    var isAwaited: Bool { answered < asked }

    /// Counts a question.
    ///
    /// - Returns: Its number, for ``answer(_:)``.
    mutating func ask() -> UInt64 {
        asked += 1
        return asked
    }

    /// Notes an answer.
    ///
    /// - Returns: Whether it counts.
    mutating func answer(_ question: UInt64) -> Bool {
        guard question > answered else { return false }
        answered = question
        return true
    }

    /// Has no question that is open count any more.
    mutating func dropQuestions() {
        answered = asked
    }

    /// Notes that the store has opened a session: facts from before are about another one.
    mutating func sessionOpened() {
        dropQuestions()
        sessionsOpened += 1
    }

    /// Notes that the store has ended a session.
    mutating func sessionEnded() {
        sessionsEnded += 1
    }

    /// Takes over facts. Without any, the account may buy: the store still refuses the order itself.
    mutating func use(_ facts: AccountFacts?) {
        paymentsAllowed = facts?.paymentsAllowed ?? true
        introduced = facts?.introduced
    }

    /// Notes that the account was charged an introductory offer.
    mutating func introduce(_ group: OpaqueText) {
        introduced?.insert(group)
    }
}
