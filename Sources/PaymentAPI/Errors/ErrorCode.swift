/// The failures of the interface. The number identifies a failure; `data` refines it.
///
/// The meanings of numbers and words are stable; the sentences may change.
public enum ErrorCode: Int, Error, Sendable, Hashable, CaseIterable {
    /// The line is not JSON. `kind` is `syntax` or `encoding`.
    case parseError = -32700
    /// The line is JSON, but not a request. `kind` is the reason.
    case invalidRequest = -32600
    /// The method does not exist.
    case methodNotFound = -32601
    /// The parameters violate the contract. `kind` is the reason.
    case invalidParams = -32602
    /// The daemon has an internal error.
    case internalError = -32603

    /// The limit of waiting calls on this connection is reached.
    case tooManyInFlight = -32000
    /// The line exceeds the limit.
    case lineTooLong = -32001
    /// A line was not completed in time.
    case timeout = -32002
    /// The result does not fit in a line.
    case resultTooLarge = -32003
    /// The limit of subscriptions is reached.
    case tooManySubscriptions = -32004
    /// The limit of connections is reached.
    case tooManyConnections = -32005
    /// The daemon drains or stops and accepts no new work.
    case draining = -32006
    /// The peer lacks the required role.
    case forbidden = -32007
    /// The change could not be written to stable storage.
    case notDurable = -32008
    /// The store is unavailable.
    case storeUnavailable = -32009
    /// The call was cancelled on its connection.
    case cancelled = -32010
    /// The store does not answer.
    case connectionError = -32011
    /// The user has had too many wrong tries and must wait.
    case tooManyAttempts = -32012
    /// The user has its share of a limit, or all users together have reached it; `limit` is its
    /// configuration key.
    case shareExceeded = -32013
    /// No node of the cluster owns the queue now.
    case noOwner = -32014
    /// Finished transactions cannot be looked up until their index is complete.
    case indexRebuilding = -32015

    /// The client requires another version of the interface.
    case unsupportedVersion = 1002

    /// The store does not sell the product in this country.
    case unknownProduct = 1101
    /// The key was used for a different call.
    case keyReuse = 1102
    /// The account may not buy.
    case paymentsNotAllowed = 1103
    /// The requested login was dismissed or timed out.
    case loginDiscarded = 1104
    /// The limit of unfinished transactions is reached.
    case queueFull = 1105
    /// The payment was rejected after the login that it had caused.
    case rejectedAfterLogin = 1106
    /// An unfinished transaction exists for a product that can be bought only once.
    case alreadyLive = 1107
    /// The text cannot be a product identifier.
    case invalidProductIdentifier = 1109

    /// The transaction is unknown.
    case unknownTransaction = 1201
    /// The page token has expired.
    case pageExpired = 1203
    /// The transaction does not wait for a decision.
    case notDecidable = 1204

    /// The records after the cursor are no longer kept.
    case cursorTooOld = 1301
    /// The cursor is ahead of the newest record.
    case cursorAhead = 1302
    /// The cursor belongs to another event log.
    case otherEpoch = 1303
    /// A live subscription uses the name.
    case nameInUse = 1304
    /// The observer name is unknown.
    case unknownObserver = 1305

    /// The question is unknown.
    case unknownQuestion = 1401
    /// The question is closed.
    case questionClosed = 1402

    /// The store does not have the account.
    case unknownAccount = 1501
    /// The credential is wrong.
    case badCredential = 1502
    /// No account is in session.
    case notLoggedIn = 1504

    /// The store does not support the call.
    case notSupportedByStore = 1601
    /// The store does not have the order.
    case noSuchOrder = 1602
    /// The application is not registered with the store.
    case appNotRegistered = 1603

    /// The configuration was refused; the earlier one stays in effect.
    case configurationRefused = 1701
}

extension ErrorCode {
    /// The use of repeating a failed call.
    public enum Retry: String, Sendable, Hashable, CaseIterable {
        /// The same call would fail again.
        case no
        /// The same call may be repeated at once.
        case same
        /// The same call may be repeated after a wait.
        case later
    }

    /// The effect of a failed call.
    public enum Effect: String, Sendable, Hashable, CaseIterable {
        /// Nothing changed.
        case none
        /// The requested change was made.
        case done
        /// The outcome is unknown; a repetition with the same key reveals it.
        case unknown
    }

    /// The default of the stable word in `data.kind`.
    public var kind: String { row.kind }

    /// The default sentence for users.
    public var message: String { row.message }

    /// The use of repeating the call.
    public var retry: Retry { row.retry }

    /// The wait before a repetition, in milliseconds; nil if there is no use in waiting.
    public var retryAfterMs: Int? {
        guard retry == .later || self == .indexRebuilding else { return nil }
        return isAboutStorageOrStore ? 5000 : 1000
    }

    /// The default effect. Only failures of the daemon itself leave it unknown.
    public var effect: Effect {
        switch self {
        case .internalError, .notDurable: .unknown
        default: .none
        }
    }

    private var isAboutStorageOrStore: Bool {
        self == .storeUnavailable || self == .connectionError || self == .notDurable
    }
}
