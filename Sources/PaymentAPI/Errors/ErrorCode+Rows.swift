extension ErrorCode {
    /// What programs and people are told of a failure. Words and retries are promises: written out
    /// here, so that renaming a case cannot change the wire.
    typealias Row = (kind: String, retry: Retry, message: String)

    /// The row of this failure.
    var row: Row {
        switch self {
        case .parseError: ("syntax", .no, "Parse error")
        case .invalidRequest: ("invalidRequest", .no, "Invalid Request")
        case .methodNotFound: ("methodNotFound", .no, "Method not found")
        case .invalidParams: ("invalidParams", .no, "Invalid params")
        case .internalError: ("internal", .later, "Internal error")
        case .tooManyInFlight:
            ("tooManyInFlight", .later, "Too many calls of this connection are waiting")
        case .lineTooLong: ("lineTooLong", .no, "The line is too long")
        case .timeout: ("timeout", .same, "The line was not ended in time")
        case .resultTooLarge:
            ("resultTooLarge", .no, "The result does not fit into a line; ask for less")
        case .tooManySubscriptions: ("tooManySubscriptions", .no, "Too many subscriptions")
        case .tooManyConnections: ("tooManyConnections", .later, "Too many connections")
        case .draining:
            ("draining", .later, "The daemon is drained or stopped and takes no new work")
        case .forbidden: ("forbidden", .no, "Your user lacks the role that this call needs")
        case .notDurable: ("notDurable", .later, "The change could not be put on stable storage")
        case .storeUnavailable: ("storeUnavailable", .later, "The store cannot serve now")
        case .cancelled: ("cancelled", .same, "The call was cancelled")
        case .connectionError: ("connectionError", .later, "The store does not answer")
        case .shareExceeded:
            ("shareExceeded", .later, "There is no room for more until something ends")
        case .unsupportedVersion: ("unsupportedVersion", .no, "This daemon speaks another version")
        case .unknownProduct: ("unknownProduct", .no, "The store does not sell this product here")
        case .keyReuse: ("keyReuse", .no, "The key was used for another call")
        case .paymentsNotAllowed: ("paymentsNotAllowed", .no, "The account in session may not buy")
        case .loginDiscarded: ("loginDiscarded", .same, "Nobody logged in")
        case .queueFull: ("queueFull", .later, "The queue holds as many transactions as it may")
        case .rejectedAfterLogin:
            ("rejectedAfterLogin", .no, "The work was turned down after the login")
        case .alreadyLive:
            ("alreadyLive", .no, "A transaction for this product is not finished yet")
        case .invalidProductIdentifier:
            ("invalidProductIdentifier", .no, "No product has such an identifier")
        case .unknownTransaction: ("unknownTransaction", .no, "There is no such transaction")
        case .pageExpired: ("pageExpired", .no, "The page is gone; start with the first one again")
        case .notDecidable:
            ("notDecidable", .no, "There is nothing to decide about this transaction")
        case .cursorTooOld:
            ("cursorTooOld", .no, "The records behind the cursor are no longer kept")
        case .cursorAhead: ("cursorAhead", .no, "The cursor is ahead of the event log")
        case .otherEpoch: ("otherEpoch", .no, "The cursor belongs to another event log")
        case .nameInUse: ("nameInUse", .no, "A live subscription has this name")
        case .unknownObserver: ("unknownObserver", .no, "There is no observer of this name")
        case .unknownQuestion: ("unknownQuestion", .no, "There is no such question")
        case .questionClosed: ("questionClosed", .no, "The question was answered before")
        case .unknownAccount: ("unknownAccount", .no, "The store has no such account")
        case .badCredential: ("badCredential", .no, "The credential is wrong")
        case .notLoggedIn: ("notLoggedIn", .no, "No account is in session")
        case .notSupportedByStore: ("notSupportedByStore", .no, "The store does not offer this")
        case .noSuchOrder: ("noSuchOrder", .no, "The store has no such order")
        case .appNotRegistered:
            ("appNotRegistered", .no, "The store does not know this application")
        case .configurationRefused: ("configurationRefused", .no, "The configuration was refused")
        }
    }
}
