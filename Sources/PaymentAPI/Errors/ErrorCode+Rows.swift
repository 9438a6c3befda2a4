extension ErrorCode {
    /// The public description of a failure. Words and retries are stable. They are spelled out
    /// here, so that renaming a case cannot change the wire.
    typealias Row = (kind: String, retry: Retry, message: String)

    /// The description of this failure.
    var row: Row {
        switch self {
        case .parseError: ("syntax", .no, "Parse error")
        case .invalidRequest: ("invalidRequest", .no, "Invalid Request")
        case .methodNotFound: ("methodNotFound", .no, "Method not found")
        case .invalidParams: ("invalidParams", .no, "Invalid params")
        case .internalError: ("internal", .later, "Internal error")
        case .tooManyInFlight:
            ("tooManyInFlight", .later, "Too many calls are waiting")
        case .lineTooLong: ("lineTooLong", .no, "The line is too long")
        case .timeout: ("timeout", .same, "The line was not completed in time")
        case .resultTooLarge:
            ("resultTooLarge", .no, "The result does not fit in one line; ask for less")
        case .tooManySubscriptions: ("tooManySubscriptions", .no, "Too many subscriptions")
        case .tooManyConnections: ("tooManyConnections", .later, "Too many connections")
        case .draining:
            ("draining", .later, "The daemon is draining or stopping and accepts no new work")
        case .forbidden: ("forbidden", .no, "Your user lacks the role that this call needs")
        case .notDurable:
            ("notDurable", .later, "The change could not be written to stable storage")
        case .storeUnavailable: ("storeUnavailable", .later, "The store is not available now")
        case .cancelled: ("cancelled", .same, "The call was cancelled")
        case .connectionError: ("connectionError", .later, "The store does not answer")
        case .tooManyAttempts:
            ("tooManyAttempts", .later, "Too many wrong logins of your user; wait, then try again")
        case .shareExceeded:
            (
                "shareExceeded", .later,
                "Your share of the limit, or the whole limit, is in use; end something before you ask for more"
            )
        case .noOwner: ("noOwner", .later, "No node of the cluster owns the queue now")
        case .indexRebuilding:
            ("indexRebuilding", .same, "Finished transactions cannot be looked up now")
        case .unsupportedVersion:
            ("unsupportedVersion", .no, "This daemon speaks another version of the protocol")
        case .unknownProduct:
            ("unknownProduct", .no, "The store does not sell this product in this storefront")
        case .keyReuse: ("keyReuse", .no, "The idempotency key was used for a different call")
        case .paymentsNotAllowed:
            ("paymentsNotAllowed", .no, "The account in session is not allowed to make payments")
        case .loginDiscarded: ("loginDiscarded", .same, "The login was dismissed or timed out")
        case .queueFull:
            ("queueFull", .later, "The queue has reached its limit of unfinished transactions")
        case .rejectedAfterLogin:
            ("rejectedAfterLogin", .no, "The payment was rejected after the login")
        case .alreadyLive:
            ("alreadyLive", .no, "An unfinished transaction for this product already exists")
        case .invalidProductIdentifier:
            ("invalidProductIdentifier", .no, "The text cannot be a product identifier")
        case .unknownTransaction: ("unknownTransaction", .no, "Unknown transaction")
        case .pageExpired:
            ("pageExpired", .no, "The page has expired; start again from the first page")
        case .notDecidable:
            ("notDecidable", .no, "The transaction or order is not in a state that allows this")
        case .cursorTooOld:
            ("cursorTooOld", .no, "Records after the cursor are no longer kept")
        case .cursorAhead: ("cursorAhead", .no, "The cursor is ahead of the event log")
        case .otherEpoch: ("otherEpoch", .no, "The cursor belongs to another event log")
        case .nameInUse: ("nameInUse", .no, "A live subscription already uses this name")
        case .unknownObserver: ("unknownObserver", .no, "Unknown observer name")
        case .unknownQuestion: ("unknownQuestion", .no, "Unknown question")
        case .questionClosed: ("questionClosed", .no, "The question is already closed")
        case .unknownAccount: ("unknownAccount", .no, "The store does not know this account")
        case .badCredential: ("badCredential", .no, "The credential is wrong")
        case .notLoggedIn: ("notLoggedIn", .no, "No account is in session")
        case .notSupportedByStore:
            ("notSupportedByStore", .no, "The store does not support this call")
        case .noSuchOrder: ("noSuchOrder", .no, "The store does not know this order")
        case .appNotRegistered:
            ("appNotRegistered", .no, "The store does not know this application")
        case .configurationRefused: ("configurationRefused", .no, "The configuration was refused")
        }
    }
}
