public import JSONRPC
public import PaymentCore
public import SandboxControl
import StrictJSON

/// The errors that the server answers with and that no part below it knows.
public enum Failures {
    /// No method has this name.
    public static func methodNotFound(_ name: String) -> ErrorObject {
        var details: [JSONMember] = [JSONMember(name: "method", value: .string(name))]
        var message = "Method not found"
        if let nearest = FamiliarNames.suggestion(for: name, among: Contract.names) {
            details.append(JSONMember(name: "didYouMean", value: .string(nearest)))
            message += "; did you mean '\(nearest)'?"
        }
        if let hint = FamiliarNames.sentence(about: name) {
            details.append(JSONMember(name: "hint", value: .string(hint)))
        }
        return ErrorCode.methodNotFound.object(message: message, details)
    }

    /// The peer lacks a role.
    public static func forbidden(need role: Role) -> ErrorObject {
        ErrorCode.forbidden.object("need", .string(role.rawValue))
    }

    /// A limit was hit; `code` says which.
    ///
    /// - Parameters:
    ///   - code: One of the codes that speak of a limit.
    ///   - limit: The limit in force.
    /// - Returns: The error with that limit.
    public static func limit(_ code: ErrorCode, _ limit: Int) -> ErrorObject {
        code.object("limit", .integer(limit))
    }

    /// A result of so many bytes does not fit into a reply line.
    public static func resultTooLarge(size: Int, limit: Int) -> ErrorObject {
        ErrorCode.resultTooLarge.object([
            JSONMember(name: "size", value: .integer(size)),
            JSONMember(name: "limit", value: .integer(limit)),
        ])
    }

    /// A line that was begun was not ended within a time.
    public static func timeout(afterMs: Int) -> ErrorObject {
        ErrorCode.timeout.object("afterMs", .integer(afterMs))
    }

    /// The daemon broke; the same incident is in its log.
    public static func internalError(incident: String) -> ErrorObject {
        ErrorCode.internalError.object("incident", .string(incident))
    }

    /// The client asked for an interface that this daemon does not speak.
    public static func unsupportedVersion(_ asked: Int) -> ErrorObject {
        ErrorCode.unsupportedVersion.object([
            JSONMember(name: "asked", value: .integer(asked)),
            JSONMember(name: "api", value: .integer(Version.api)),
        ])
    }

    /// A transaction that this queue never held, or hides from this session.
    public static func unknownTransaction(_ transaction: TransactionReference) -> ErrorObject {
        ErrorCode.unknownTransaction.object("transaction", .string(transaction.description))
    }

    /// A restore that this queue never had, or hides from this session.
    public static func unknownRestore(_ restore: OpaqueText) -> ErrorObject {
        ErrorCode.unknownTransaction.object(
            "restore", .string(restore.string), message: "Unknown restore")
    }

    /// A question that this queue never asked, or hides from this session.
    public static func unknownQuestion(_ question: OpaqueText) -> ErrorObject {
        ErrorCode.unknownQuestion.object("question", .string(question.string))
    }

    /// An identifier that no product can have.
    public static func invalidProductIdentifier(_ product: ProductIdentifier) -> ErrorObject {
        ErrorCode.invalidProductIdentifier.object("product", .string(product.string))
    }

    /// An order that the store does not know.
    public static func noSuchOrder(_ naming: OpaqueText) -> ErrorObject {
        ErrorCode.noSuchOrder.object("order", .string(naming.string))
    }

    /// A transaction that waits for no decision.
    public static func notDecidable(
        _ transaction: TransactionID, state: TransactionState.Phase
    ) -> ErrorObject {
        ErrorCode.notDecidable.object([
            JSONMember(name: "transaction", value: .string(transaction.description)),
            JSONMember(name: "state", value: .string(state.rawValue)),
        ])
    }

    /// The clock has met as many events as one call lets happen.
    public static func clockStopped(_ clock: TestClock, events: Int) -> ErrorObject {
        ErrorCode.resultTooLarge.object(
            message: "The clock stopped after \(events) events; repeat the call for the rest",
            [
                JSONMember(name: "now", value: .string(clock.now.description)),
                JSONMember(name: "events", value: .integer(events)),
                JSONMember(name: "limit", value: .integer(events)),
            ])
    }

    /// The configuration was refused.
    ///
    /// - Parameters:
    ///   - file: The file that was read.
    ///   - path: Where in the file, as a JSON Pointer; empty for the file itself.
    ///   - reason: What is wrong there.
    /// - Returns: The error with all three.
    public static func configurationRefused(
        file: String, path: String, reason: String
    ) -> ErrorObject {
        ErrorCode.configurationRefused.object(
            message: "The configuration was refused: \(reason)",
            [
                JSONMember(name: "file", value: .string(file)),
                JSONMember(name: "path", value: .string(path)),
                JSONMember(name: "reason", value: .string(reason)),
            ])
    }

    /// A call that would have to wait, in a batch.
    public static let waitInBatch = InvalidParameters(.waitInBatch, at: "").errorObject

    /// The store offers no test controls.
    public static let notSupportedByStore = ErrorCode.notSupportedByStore.object()
}

extension Refusal {
    /// The error that tells a client why its command was turned down.
    ///
    /// - Parameter reference: The transaction as the client named it, for ``unknownTransaction``.
    /// - Returns: The error with the identifiers concerned.
    public func errorObject(naming reference: TransactionReference? = nil) -> ErrorObject {
        switch self {
        case .unknownProduct(let product):
            return ErrorCode.unknownProduct.object("product", .string(product.string))
        case .keyReuse(let key, let transaction):
            return ErrorCode.keyReuse.object([
                JSONMember(name: "key", value: .string(key.string)),
                JSONMember(name: "transaction", value: .string(transaction.description)),
            ])
        case .paymentsNotAllowed:
            return ErrorCode.paymentsNotAllowed.object()
        case .queueFull(let limit):
            return ErrorCode.queueFull.object("limit", .integer(limit))
        case .alreadyLive(let transaction, let phase):
            return ErrorCode.alreadyLive.object([
                JSONMember(name: "transaction", value: .string(transaction.description)),
                JSONMember(name: "state", value: .string(phase.rawValue)),
            ])
        case .unknownTransaction:
            guard let reference else { return ErrorCode.unknownTransaction.object() }
            return Failures.unknownTransaction(reference)
        case .keyReuseByRestore(let key, let restore):
            return ErrorCode.keyReuse.object([
                JSONMember(name: "key", value: .string(key.string)),
                JSONMember(name: "restore", value: .string(restore.description)),
            ])
        case .unknownQuestion: return ErrorCode.unknownQuestion.object()
        case .questionClosed(let question):
            return ErrorCode.questionClosed.object("question", .string(question.description))
        case .unknownObserver(let name):
            return ErrorCode.unknownObserver.object("name", .string(name.string))
        case .cursorAhead(let head):
            return ErrorCode.cursorAhead.object("head", .integer(Int(head)))
        case .shareExceeded(let limit, let number):
            return ErrorCode.shareExceeded.object([
                JSONMember(name: "limit", value: .string(limit)),
                JSONMember(name: "number", value: .integer(number)),
            ])
        }
    }
}

extension TestFailure {
    /// The error that tells a client why a control of the sandbox did nothing.
    ///
    /// - Parameter naming: The order as the client named it, for ``noSuchOrder``.
    /// - Returns: The error with what is concerned.
    public func errorObject(naming: OpaqueText? = nil) -> ErrorObject {
        switch self {
        case .noSuchOrder:
            naming.map(Failures.noSuchOrder) ?? ErrorCode.noSuchOrder.object()
        case .noSubscription(let product):
            ErrorCode.noSuchOrder.object(
                "product", .string(product.string),
                message: "The account has no running subscription to this product")
        case .notDecidable(let state):
            ErrorCode.notDecidable.object("state", .string(state.rawValue))
        case .unknownProduct(let product):
            ErrorCode.unknownProduct.object("product", .string(product.string))
        case .notLoggedIn: ErrorCode.notLoggedIn.object()
        case .pageExpired: ErrorCode.pageExpired.object()
        case .store(let failure): failure.errorObject()
        }
    }
}

extension StoreFailure {
    /// The error that tells a client that the store could not do what the call needs.
    ///
    /// - Parameter account: The account that was to be logged in, where there is one.
    /// - Returns: The error with the store's own sentence.
    public func errorObject(account: AccountName? = nil) -> ErrorObject {
        var details: [JSONMember] = []
        if let account {
            details.append(JSONMember(name: "account", value: .string(account.string)))
        }
        return code.object(message: description, details)
    }

    private var code: ErrorCode {
        switch kind {
        case .connectionError: .connectionError
        case .serviceUnavailable: .storeUnavailable
        case .internalError: .internalError
        case .appNotRegistered: .appNotRegistered
        case .unknownAccount: .unknownAccount
        case .badCredential: .badCredential
        case .sessionRevoked: .notLoggedIn
        case .storageFailed: .notDurable
        }
    }
}

/// Why a cursor cannot be used; the reply carries what a client needs to choose another one.
public enum CursorFault: Error, Sendable, Hashable {
    /// The records behind it were trimmed.
    case tooOld
    /// It lies beyond the newest record.
    case ahead
    /// It belongs to another event log.
    case otherEpoch

    /// The error that says so.
    ///
    /// - Parameters:
    ///   - cursor: The cursor that was asked for, nil if only the epoch was wrong.
    ///   - oldest: The oldest sequence number that is kept.
    ///   - head: The newest one.
    ///   - epoch: The epoch of the log.
    /// - Returns: The error with all of them.
    public func errorObject(
        after cursor: SequenceNumber?, oldest: SequenceNumber, head: SequenceNumber, epoch: String
    ) -> ErrorObject {
        let code: ErrorCode =
            switch self {
            case .tooOld: .cursorTooOld
            case .ahead: .cursorAhead
            case .otherEpoch: .otherEpoch
            }
        var details: [JSONMember] = []
        if let cursor { details.append(JSONMember(name: "after", value: .integer(cursor))) }
        details.append(JSONMember(name: "oldest", value: .integer(oldest)))
        details.append(JSONMember(name: "head", value: .integer(head)))
        details.append(JSONMember(name: "epoch", value: .string(epoch)))
        return code.object(details)
    }
}
