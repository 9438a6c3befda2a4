/// The account in session and its country at the store.
public struct Session: Sendable, Hashable {
    /// The account.
    public var account: AccountName
    /// The country of the account.
    public var country: CountryCode

    /// Creates a session.
    public init(account: AccountName, country: CountryCode) {
        self.account = account
        self.country = country
    }
}

/// The cause of a session change that no client requested.
public enum SessionCause: String, Sendable, Hashable, CaseIterable {
    /// The store has ended the session, and reopening it needs a new login.
    case sessionEnded
}

/// A session that the store has ended, until the next login.
public struct EndedSession: Sendable, Hashable {
    /// The session before its end.
    public var session: Session
    /// The time when the queue received the end of the session.
    public var endedAt: Timestamp
    /// The login question that was opened because of it. Nil before that, and again after the
    /// question ended without an answer.
    public var question: QuestionID?

    /// Creates an ended session.
    public init(session: Session, endedAt: Timestamp, question: QuestionID? = nil) {
        self.session = session
        self.endedAt = endedAt
        self.question = question
    }
}
