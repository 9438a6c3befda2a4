public import JSONRPC
public import PaymentCore
public import SandboxControl
import StrictJSON

/// The error objects that the server itself produces.
public enum Failures {
    /// The error for an unknown method.
    public static func methodNotFound(_ name: String) -> ErrorObject {
        var details: [JSONMember] = [
            JSONMember(name: "method", value: .string(EchoedName.clipped(name)))
        ]
        var message = "Method not found"
        let advice = FamiliarNames.advice(for: name, among: Contract.names)
        if let nearest = advice.didYouMean {
            details.append(JSONMember(name: "didYouMean", value: .string(nearest)))
            message += "; did you mean '\(nearest)'?"
        }
        if let hint = advice.hint {
            details.append(JSONMember(name: "hint", value: .string(hint)))
        }
        return ErrorCode.methodNotFound.object(message: message, .object(details))
    }

    /// The error for a change of a state that is only read.
    public static var readOnly: ErrorObject {
        ErrorCode.notDurable.object(
            kind: "readOnly", message: "The daemon serves its state read-only and changes nothing",
            retry: .no, effect: ErrorCode.Effect.none)
    }

    /// The error for a call that needs damaged files of the state directory. Nothing has happened.
    ///
    /// - Parameter sentence: The damage, for users.
    /// - Returns: The error with the kind `damaged`.
    public static func damaged(_ sentence: String) -> ErrorObject {
        ErrorCode.notDurable.object(
            kind: "damaged", message: sentence, retry: .no, effect: ErrorCode.Effect.none)
    }

    /// The error for a change at a node that does not own the queue. Nothing has happened.
    public static var noOwner: ErrorObject {
        ErrorCode.noOwner.object(message: "This node of the cluster does not own the queue now")
    }

    /// The error for a position that this node does not have yet. Nothing has happened.
    public static var notCaughtUp: ErrorObject {
        ErrorCode.noOwner.object(
            message: "This node of the cluster does not have that position yet")
    }

    /// The error for a call about the nodes of a daemon that has its log in local files only.
    public static var noCluster: ErrorObject {
        ErrorCode.invalidRequest.object(
            kind: "noCluster", message: "This daemon shares its queue with no other node")
    }

    /// The error for a missing role.
    public static func forbidden(need role: Role) -> ErrorObject {
        ErrorCode.forbidden.object(["need": .string(role.rawValue)])
    }

    /// The error for a reached limit.
    ///
    /// - Parameters:
    ///   - code: A code that concerns a limit.
    ///   - limit: The current limit.
    /// - Returns: The error object with the limit.
    public static func limit(_ code: ErrorCode, _ limit: Int) -> ErrorObject {
        code.object(["limit": .integer(limit)])
    }

    /// The error for a connection that cannot be accepted for lack of descriptors or memory.
    ///
    /// - Parameter reason: The missing resource, in the words of the system.
    /// - Returns: The error object with the reason.
    public static func cannotAccept(_ reason: String) -> ErrorObject {
        ErrorCode.tooManyConnections.object(
            message: "The daemon cannot accept connections now: \(reason)",
            ["reason": .string(reason)])
    }

    /// The error for a user that must wait after wrong tries.
    public static func tooManyAttempts(wait: Duration) -> ErrorObject {
        // Rounded up, so that a client that waits exactly this long is not refused again.
        let milliseconds = (wait + .nanoseconds(999_999)).wholeMilliseconds
        return ErrorCode.tooManyAttempts.object(retryAfterMs: Int(milliseconds))
    }

    /// The error for a user that has its share of a limit.
    ///
    /// - Parameters:
    ///   - limit: The limit, named by its configuration key.
    ///   - number: Its value.
    ///   - share: The units that the user may hold now; nil if all users together have reached the limit.
    /// - Returns: The error object.
    public static func shareExceeded(
        _ limit: SharedLimit, _ number: Int, share: Int?
    ) -> ErrorObject {
        var data: [JSONMember] = [
            JSONMember(name: "limit", value: .string(limit.rawValue)),
            JSONMember(name: "number", value: .integer(number)),
        ]
        if let share { data.append(JSONMember(name: "share", value: .integer(share))) }
        return ErrorCode.shareExceeded.object(.object(data))
    }

    /// The error for a result that does not fit in a line; sizes are in bytes.
    ///
    /// - Parameters:
    ///   - size: The length of the result.
    ///   - limit: The longest line.
    ///   - effect: The effect of the call.
    /// - Returns: The error object.
    public static func resultTooLarge(
        size: Int, limit: Int, effect: ErrorCode.Effect = .none
    ) -> ErrorObject {
        ErrorCode.resultTooLarge.object(
            effect: effect, ["size": .integer(size), "limit": .integer(limit)])
    }

    /// The error for a line that was not completed within a time, in milliseconds.
    public static func timeout(afterMs: Int) -> ErrorObject {
        ErrorCode.timeout.object(["afterMs": .integer(afterMs)])
    }

    /// The error for an internal failure; the log has the same incident.
    public static func internalError(incident: String) -> ErrorObject {
        ErrorCode.internalError.object(["incident": .string(incident)])
    }

    /// The error for an unsupported version of the interface.
    public static func unsupportedVersion(_ asked: Int) -> ErrorObject {
        ErrorCode.unsupportedVersion.object([
            "asked": .integer(asked), "api": .integer(Version.api),
        ])
    }

    /// The error for a transaction that is unknown, or hidden from this session.
    public static func unknownTransaction(_ transaction: TransactionReference) -> ErrorObject {
        ErrorCode.unknownTransaction.object(["transaction": .string(transaction.description)])
    }

    /// The error for a restore that is unknown, or hidden from this session.
    public static func unknownRestore(_ restore: OpaqueText) -> ErrorObject {
        ErrorCode.unknownTransaction.object(
            message: "Unknown restore", ["restore": .string(restore.string)])
    }

    /// The error for a question that is unknown, or hidden from this session.
    public static func unknownQuestion(_ question: OpaqueText) -> ErrorObject {
        ErrorCode.unknownQuestion.object(["question": .string(question.string)])
    }

    /// The error for text that cannot be a product identifier.
    public static func invalidProductIdentifier(_ product: ProductIdentifier) -> ErrorObject {
        ErrorCode.invalidProductIdentifier.object(["product": .string(product.string)])
    }

    /// The error for an order that the store does not have.
    public static func noSuchOrder(_ naming: OpaqueText) -> ErrorObject {
        ErrorCode.noSuchOrder.object(["order": .string(naming.string)])
    }

    /// The error for a transaction that does not wait for a decision.
    public static func notDecidable(
        _ transaction: TransactionID, state: TransactionState.Phase
    ) -> ErrorObject {
        ErrorCode.notDecidable.object([
            "transaction": .string(transaction.description), "state": .string(state.rawValue),
        ])
    }

    /// The error for a call that reached the limit of clock events.
    public static func clockStopped(_ clock: TestClock, events: Int) -> ErrorObject {
        ErrorCode.resultTooLarge.object(
            message: "The clock stopped after \(events) events; repeat the call for the rest",
            [
                "now": .string(clock.now.description),
                "events": .integer(events),
                "limit": .integer(events),
            ])
    }

    /// The error for a refused configuration.
    ///
    /// - Parameters:
    ///   - file: The path of the configuration file.
    ///   - path: The place in the file, as a JSON Pointer; empty for the whole file.
    ///   - reason: The cause.
    /// - Returns: The error object with all three.
    public static func configurationRefused(
        file: String, path: String, reason: String
    ) -> ErrorObject {
        ErrorCode.configurationRefused.object(
            message: "The configuration was refused: \(reason)",
            [
                "file": .string(file), "path": .string(path), "reason": .string(reason),
            ])
    }

    /// The error for a call in a batch that may wait.
    public static let waitInBatch = InvalidParameters(.waitInBatch, at: "").errorObject

    /// The error for a control that the store does not support.
    public static let notSupportedByStore = ErrorCode.notSupportedByStore.object()
}

extension Refusal {
    /// The error object for a refused command.
    ///
    /// - Parameter reference: The client's reference to the transaction, for
    ///   ``unknownTransaction``.
    /// - Returns: The error object with the identifiers concerned.
    public func errorObject(naming reference: TransactionReference? = nil) -> ErrorObject {
        switch self {
        case .unknownProduct(let product):
            return ErrorCode.unknownProduct.object(["product": .string(product.string)])
        case .keyReuse(let key, let transaction):
            return ErrorCode.keyReuse.object([
                "key": .string(key.string), "transaction": .string(transaction.description),
            ])
        case .paymentsNotAllowed:
            return ErrorCode.paymentsNotAllowed.object()
        case .queueFull(let limit):
            return ErrorCode.queueFull.object(["limit": .integer(limit)])
        case .alreadyLive(let transaction, let phase):
            return ErrorCode.alreadyLive.object([
                "transaction": .string(transaction.description), "state": .string(phase.rawValue),
            ])
        case .unknownTransaction:
            guard let reference else { return ErrorCode.unknownTransaction.object() }
            return Failures.unknownTransaction(reference)
        case .keyReuseByRestore(let key, let restore):
            return ErrorCode.keyReuse.object([
                "key": .string(key.string), "restore": .string(restore.description),
            ])
        case .unknownQuestion: return ErrorCode.unknownQuestion.object()
        case .questionClosed(let question):
            return ErrorCode.questionClosed.object(["question": .string(question.description)])
        case .unknownObserver(let name):
            return ErrorCode.unknownObserver.object(["name": .string(name.string)])
        case .nameInUse(let name):
            return ErrorCode.nameInUse.object(["name": .string(name.string)])
        case .nameOfAnother(let name):
            return ErrorCode.nameInUse.object(
                message: "The name belongs to another user", ["name": .string(name.string)])
        case .notOwner(let name):
            return ErrorCode.forbidden.object(
                message: "Only an administrator may act for a name of another user",
                ["need": .string(Role.admin.rawValue), "name": .string(name.string)])
        case .cursorAhead(let head):
            return ErrorCode.cursorAhead.object(["head": .integer(Int(head))])
        case .shareExceeded(let limit, let number, let share):
            return Failures.shareExceeded(limit, number, share: share)
        }
    }
}

extension TestFailure {
    /// The error object for a failed control of the sandbox.
    ///
    /// - Parameter naming: The client's reference to the order, for ``noSuchOrder``.
    /// - Returns: The error object with the identifiers concerned.
    public func errorObject(naming: OpaqueText? = nil) -> ErrorObject {
        switch self {
        case .noSuchOrder:
            naming.map(Failures.noSuchOrder) ?? ErrorCode.noSuchOrder.object()
        case .noSubscription(let product):
            ErrorCode.noSuchOrder.object(
                message: "The account has no running subscription to this product",
                ["product": .string(product.string)])
        case .notDecidable(let state):
            ErrorCode.notDecidable.object(["state": .string(state.rawValue)])
        case .unknownProduct(let product):
            ErrorCode.unknownProduct.object(["product": .string(product.string)])
        case .notLoggedIn: ErrorCode.notLoggedIn.object()
        case .pageExpired: ErrorCode.pageExpired.object()
        case .store(let failure): failure.errorObject()
        }
    }
}

extension StoreFailure {
    /// The error object for a failure of the store.
    ///
    /// - Parameter account: The account of a failed login; nil for other calls.
    /// - Returns: The error object with the store's sentence.
    public func errorObject(account: AccountName? = nil) -> ErrorObject {
        code.object(
            message: description, account.map { ["account": .string($0.string)] } ?? [:])
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

/// The faults of a cursor. The error has the data for choosing another cursor.
public enum CursorFault: Error, Sendable, Hashable {
    /// The records after the cursor were trimmed.
    case tooOld
    /// The cursor is ahead of the newest record.
    case ahead
    /// The cursor belongs to another event log.
    case otherEpoch

    /// The error object of the fault.
    ///
    /// - Parameters:
    ///   - cursor: The requested cursor; nil if only the epoch was wrong.
    ///   - oldest: The oldest kept sequence number.
    ///   - head: The newest sequence number.
    ///   - epoch: The epoch of the log.
    /// - Returns: The error object with all four.
    public func errorObject(
        after cursor: SequenceNumber?, oldest: SequenceNumber, head: SequenceNumber, epoch: String
    ) -> ErrorObject {
        let code: ErrorCode =
            switch self {
            case .tooOld: .cursorTooOld
            case .ahead: .cursorAhead
            case .otherEpoch: .otherEpoch
            }
        let after = cursor.map { [JSONMember(name: "after", value: .integer($0))] } ?? []
        let log: JSONValue = [
            "oldest": .integer(oldest), "head": .integer(head), "epoch": .string(epoch),
        ]
        return code.object(.object(after + (log.members ?? [])))
    }
}
