import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of the methods of one topic.
protocol Handlers {
    var context: HandlerContext { get }

    /// Puts each method with its handler into the table.
    func register(in methods: MethodTable)
}

extension MethodTable {
    /// Registers all methods. The file with the handler of a method lists the method.
    func registerAll(_ core: ServerCore, _ store: StoreControl) {
        let context = core.context
        let topics: [any Handlers] = [
            QueueHandlers(context: context), WaitHandlers(context: context),
            RestoreHandlers(context: context),
            SubscriptionHandlers(context: context), SessionHandlers(context: context),
            HistoryHandlers(context: context), GateHandlers(context: context),
            DaemonHandlers(context: context, store: store), StatusHandlers(core),
            AdminHandlers(core), ControlHandlers(context: context, store: store),
            TestHandlers(context: context, store: store),
        ]
        for topic in topics { topic.register(in: self) }
    }
}

extension Handlers {
    var engine: PaymentEngine { context.engine }
    var limits: Limits { context.limits }

    /// A call that the engine answers later.
    ///
    /// - Parameters:
    ///   - result: Converts the engine's answer into the result.
    ///   - begin: Calls the engine, and returns the ticket that cancels the request if it waits for
    ///     a person.
    /// - Returns: A call that waits.
    func later<Value, Result: WireResult>(
        _ result: @escaping @Sendable (Value) -> Result,
        _ begin:
            @escaping (
                @escaping @Sendable (Swift.Result<Value, EngineRefusal>) -> Void
            ) -> WaitTicket?
    ) -> Answer<Result> {
        .later { [context] call in
            let bound = NIOLoopBound(call, eventLoop: context.eventLoop)
            let ticket = begin { answer in
                switch answer {
                case .success(let value): bound.value.succeed(result(value))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
            guard let ticket else { return }
            call.onAbandon = { [engine = context.engine] in engine.login.cancel(ticket) }
        }
    }

    /// A transaction as the session may see it.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - withEnded: Whether an unfinished transaction of an account whose session the store has
    ///     ended is visible, too.
    /// - Returns: The transaction with its state; nil if the session may not see it.
    /// - Throws: The transaction may be closed, and closed ones cannot be looked up now.
    func visibleEntry(
        _ id: TransactionID?, withEnded: Bool
    ) throws(ErrorObject) -> Transactions.Result.Entry? {
        guard let id else { return nil }
        let known = try translatingRefusal { () throws(EngineRefusal) in
            try engine.reader.transaction(id)
        }
        guard let (transaction, finish) = known else { return nil }
        let ended = withEnded && finish == nil ? engine.queue.endedSession?.session.account : nil
        guard
            engine.queue.isVisible(transaction.account)
                || ended != nil && transaction.account == ended
        else { return nil }
        let waitingFor = finish == nil ? engine.queue.waitingFor(transaction) : nil
        return Transactions.Result.Entry(
            transaction: transaction, waitingFor: waitingFor, finish: finish)
    }
}

/// Runs a call of the engine, and throws its refusal as clients receive it.
@inline(__always)
func translatingRefusal<Value>(
    naming reference: TransactionReference? = nil,
    _ work: () throws(EngineRefusal) -> Value
) throws(ErrorObject) -> Value {
    do throws(EngineRefusal) {
        return try work()
    } catch {
        throw error.errorObject(naming: reference)
    }
}

extension EngineRefusal {
    /// The refusal as clients receive it.
    func errorObject(naming reference: TransactionReference? = nil) -> ErrorObject {
        switch self {
        case .refused(let refusal): refusal.errorObject(naming: reference)
        case .outOfSpace(let room): room.errorObject
        case .readOnly: Failures.readOnly
        case .noOwner: Failures.noOwner
        case .historyUnknown(let failure):
            failure.isDamage
                ? Failures.damaged("A file of closed things is damaged: \(failure)")
                : ErrorCode.indexRebuilding.object()
        case .neverIndexed(let failure):
            ErrorCode.indexRebuilding.object(
                kind: "neverIndexed",
                message: """
                    \(failure), and a daemon that only reads builds no index; stop it, run 'payqueuectl \
                    journal scrub', then start it
                    """,
                retry: .no, effect: ErrorCode.Effect.none)
        case .store(let failure): failure.errorObject()
        case .cancelled: ErrorCode.cancelled.object()
        case .tooManyAttempts(let wait): Failures.tooManyAttempts(wait: wait)
        case .loginDiscarded: ErrorCode.loginDiscarded.object()
        case .noLoginAgent:
            ErrorCode.loginDiscarded.object(
                message: "No client is subscribed as a login agent; name the account to log in")
        case .rejectedAfterLogin: ErrorCode.rejectedAfterLogin.object()
        case .notLoggedIn: ErrorCode.notLoggedIn.object()
        case .pageExpired: ErrorCode.pageExpired.object()
        }
    }
}
