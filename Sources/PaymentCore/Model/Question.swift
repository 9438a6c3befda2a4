/// The identifier of a question of this queue: never issued twice, and kept over restarts.
public struct QuestionID: TypedIdentifier {
    /// The bits of the identifier.
    public let value: UniqueID
    /// Wraps the bits.
    public init(_ value: UniqueID) { self.value = value }
}

/// A yes-or-no question to the agents that may answer it. The call or transaction that depends on
/// the answer waits until the question ends.
public struct Question: Sendable, Hashable {
    /// The kind of the question.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A request to log in. Login agents are asked in turn. A login answers the question with
        /// true, a dismissed login with false.
        case login
        /// Whether a purchase continues after the login that it caused.
        case afterLogin
        /// Whether a transaction continues in another country or at another price.
        case shouldContinue
        /// Whether the user pays. Payment agents are asked in turn.
        case payment
    }

    /// The cause of a `shouldContinue` question.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// The country differs from the country of `add`.
        case storefront
        /// The store charges another price than the one that was shown.
        case price
    }

    /// The identifier of the question.
    public let id: QuestionID
    /// The kind of the question.
    public var kind: Kind
    /// The account of the question, which is visible only while that account is in session. Nil for
    /// `login`.
    public var account: AccountName?
    /// The transaction that waits for the answer; only for `shouldContinue` and `payment`.
    public var transaction: TransactionID?
    /// The cause of a `shouldContinue` question; nil for other kinds.
    public var cause: Cause?
    /// The product and price that the answer true accepts; nil for `login`.
    public var product: RecordedProduct?
    /// The country of the charge; nil for `login`.
    public var country: CountryCode?
    /// The answer that applies after a timeout.
    public var fallback: Bool
    /// The timeout in milliseconds. For `login` and `payment` it runs from the opening, and again
    /// from the first turn of an agent if none was connected before. It holds for all agents
    /// together. For other kinds it runs from the first delivery to a client that may answer.
    public var patienceMs: Int64
    /// The time when the question was opened.
    public let openedAt: Timestamp

    /// Creates a question.
    public init(
        id: QuestionID, kind: Kind, account: AccountName? = nil,
        transaction: TransactionID? = nil, cause: Cause? = nil, product: RecordedProduct? = nil,
        country: CountryCode? = nil, fallback: Bool = false, patienceMs: Int64,
        openedAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.account = account
        self.transaction = transaction
        self.cause = cause
        self.product = product
        self.country = country
        self.fallback = fallback
        self.patienceMs = patienceMs
        self.openedAt = openedAt
    }
}

/// The end of a question.
public struct QuestionClosing: Sendable, Hashable {
    /// The cause of the end.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A client answered; the record's origin names the client.
        case answered
        /// The question timed out; the value is its fallback.
        case timedOut
        /// The last agent that could answer disconnected.
        case agentGone
        /// The transaction left the queue, or does not need the answer any more.
        case withdrawn
        /// Another account or country is in session.
        case sessionChanged
        /// The daemon was restarted, and with it the call that waited for the answer.
        case restarted
    }

    /// The identifier of the question.
    public var id: QuestionID
    /// The account of the question.
    public var account: AccountName?
    /// The answer, the fallback after a timeout, or the result of a login; nil if there was none.
    public var value: Bool?
    /// The cause of the end.
    public var reason: Reason
    /// The remark given with the answer; nil if there was none.
    public var note: OpaqueText?

    /// Creates a closing.
    public init(
        id: QuestionID, account: AccountName?, value: Bool?, reason: Reason,
        note: OpaqueText? = nil
    ) {
        self.id = id
        self.account = account
        self.value = value
        self.reason = reason
        self.note = note
    }
}

/// The policy for a transaction whose country or price differs from the one shown, and for a
/// purchase after the login that an `add` caused. A queue has one policy, stored permanently.
public struct GatePolicy: Sendable, Hashable {
    /// The policy for a changed country or price.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The transaction continues with the present product and price.
        case `continue`
        /// The transaction is discarded.
        case stop
        /// A question is opened.
        case ask
    }

    /// The policy after a login that an `add` caused.
    public enum AfterLogin: String, Sendable, Hashable, CaseIterable {
        /// The purchase continues.
        case `continue`
        /// A question is opened.
        case ask
    }

    /// The policy for a changed country or price.
    public var mode: Mode
    /// The timeout of a question, in milliseconds.
    public var timeoutMs: Int64
    /// The answer that applies after a timeout.
    public var fallback: Bool
    /// The policy after a login that an `add` caused.
    public var afterLogin: AfterLogin

    /// Creates a policy. By default all transactions continue, and the fallback is false.
    public init(
        mode: Mode = .continue, timeoutMs: Int64 = 60_000, fallback: Bool = false,
        afterLogin: AfterLogin = .continue
    ) {
        self.mode = mode
        self.timeoutMs = timeoutMs
        self.fallback = fallback
        self.afterLogin = afterLogin
    }
}
