/// Every failure that the interface knows. The number alone identifies it; `data` refines it.
///
/// Numbers and words never change their meaning; the sentences may.
public enum ErrorCode: Int, Error, Sendable, Hashable, CaseIterable {
    /// The line is not JSON. `kind` says `syntax` or `encoding`.
    case parseError = -32700
    /// The line is JSON but no request. `kind` says why.
    case invalidRequest = -32600
    /// No such method.
    case methodNotFound = -32601
    /// The parameters are not what the contract says. `kind` says why.
    case invalidParams = -32602
    /// The daemon broke.
    case internalError = -32603

    /// So many calls of this connection wait already.
    case tooManyInFlight = -32000
    /// A line is longer than allowed.
    case lineTooLong = -32001
    /// A line that was begun was not ended in time.
    case timeout = -32002
    /// The result would not fit into a line.
    case resultTooLarge = -32003
    /// So many subscriptions exist already.
    case tooManySubscriptions = -32004
    /// So many connections exist already.
    case tooManyConnections = -32005
    /// The daemon takes no new work, because it is being stopped.
    case draining = -32006
    /// The peer lacks a role.
    case forbidden = -32007
    /// The change could not be put on stable storage.
    case notDurable = -32008
    /// The store answered that it cannot serve.
    case storeUnavailable = -32009
    /// The call was cancelled by its own connection.
    case cancelled = -32010
    /// The store did not answer.
    case connectionError = -32011
    /// A limit leaves no room for more; `limit` names its configuration key.
    case shareExceeded = -32013

    /// The client asks for an interface that this daemon does not speak.
    case unsupportedVersion = 1002

    /// The store does not sell it in this country.
    case unknownProduct = 1101
    /// The key stands for another call.
    case keyReuse = 1102
    /// The account may not buy.
    case paymentsNotAllowed = 1103
    /// No account logged in when a login was requested.
    case loginDiscarded = 1104
    /// The queue is full.
    case queueFull = 1105
    /// The gate turned the work down after the login that it had caused.
    case rejectedAfterLogin = 1106
    /// The product is bought only once, and an unfinished transaction for it exists.
    case alreadyLive = 1107
    /// An identifier cannot be that of a product.
    case invalidProductIdentifier = 1109

    /// No such transaction.
    case unknownTransaction = 1201
    /// The page belongs to an older answer that is gone.
    case pageExpired = 1203
    /// There is nothing to decide about the transaction.
    case notDecidable = 1204

    /// The records behind the cursor are no longer kept.
    case cursorTooOld = 1301
    /// The cursor lies beyond the newest record.
    case cursorAhead = 1302
    /// The cursor belongs to another event log.
    case otherEpoch = 1303
    /// A live subscription has the name.
    case nameInUse = 1304
    /// No observer has the name.
    case unknownObserver = 1305

    /// No such question.
    case unknownQuestion = 1401
    /// The question was answered before.
    case questionClosed = 1402

    /// The store has no such account.
    case unknownAccount = 1501
    /// The credential is wrong.
    case badCredential = 1502
    /// It takes an account in session.
    case notLoggedIn = 1504

    /// The store offers no such control.
    case notSupportedByStore = 1601
    /// The store has no such order.
    case noSuchOrder = 1602
    /// The store does not know this application.
    case appNotRegistered = 1603

    /// The configuration was refused and the old one stays in force.
    case configurationRefused = 1701
}

extension ErrorCode {
    /// Whether and how a client should repeat a call.
    public enum Retry: String, Sendable, Hashable, CaseIterable {
        /// The same call would fail again.
        case no
        /// The same call may be sent again at once.
        case same
        /// The same call may be sent again after a while.
        case later
    }

    /// The changes that a failed call made.
    public enum Effect: String, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none
        /// The payment that was requested.
        case done
        /// It is not known; the same call with the same key finds out.
        case unknown
    }

    /// The stable word of `data.kind`, where the failure does not refine it.
    public var kind: String { row.kind }

    /// A sentence for people, where nothing better is known.
    public var message: String { row.message }

    /// Whether repeating the call makes sense.
    public var retry: Retry { row.retry }

    /// How long to wait before repeating, in milliseconds; nil unless ``retry`` is `later`.
    public var retryAfterMs: Int? {
        guard retry == .later else { return nil }
        return isAboutStorageOrStore ? 5000 : 1000
    }

    /// The changes that the failed call made. Only a failure of the daemon itself leaves that open.
    public var effect: Effect {
        self == .internalError || self == .notDurable ? .unknown : .none
    }

    private var isAboutStorageOrStore: Bool {
        self == .storeUnavailable || self == .connectionError || self == .notDurable
    }
}
