/// The account in session and the country that the store has for it.
public struct Session: Sendable, Hashable {
    /// The account.
    public var account: AccountName
    /// Its country.
    public var country: CountryCode

    /// Makes a session.
    public init(account: AccountName, country: CountryCode) {
        self.account = account
        self.country = country
    }
}

/// Why a session changed that no client asked to change.
public enum SessionCause: String, Sendable, Hashable, CaseIterable {
    /// The store does not know it any more, and it could not be opened again without a person.
    case sessionEnded
}

/// A session that the store has ended, until the next login.
public struct EndedSession: Sendable, Hashable {
    /// The session as it was.
    public var session: Session
    /// When the queue learnt of it.
    public var endedAt: Timestamp
    /// The question by which login agents were asked because of it. Nil while none was asked, and
    /// again when the question ended before it was answered.
    public var question: QuestionID?

    /// Makes one.
    public init(session: Session, endedAt: Timestamp, question: QuestionID? = nil) {
        self.session = session
        self.endedAt = endedAt
        self.question = question
    }
}
