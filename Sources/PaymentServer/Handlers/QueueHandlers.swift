import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// `add`, `finish`, `transactions`, `wait`, `check`.
extension ServerCore {
    func registerQueueMethods() {
        methods.register(AddPayment.self, add)
        methods.register(FinishTransaction.self, finish)
        methods.register(Transactions.self, transactions)
        methods.register(WaitForTransaction.self, wait)
        methods.registerCheck(check)
    }

    func add(
        _ params: AddPayment.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<AddPayment.Result> {
        try admitWork(params.key)
        if params.key == nil { keylessAdds += 1 }
        // In a batch nobody is asked; the payment waits for whoever logs in next.
        guard !engine.login.asksForLogin || request.isInBatch else {
            return addAfterLogin(params, request.origin)
        }
        return .now(
            AddPayment.Result(
                try telling { () throws(EngineRefusal) in
                    try engine.commands.add(params, origin: request.origin)
                }))
    }

    private func addAfterLogin(
        _ params: AddPayment.Params, _ origin: Origin
    ) -> Answer<AddPayment.Result> {
        .later { [self] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            let ticket = engine.login.addAfterLogin(params, origin: origin) { result in
                switch result {
                case .success(let reply): bound.value.succeed(AddPayment.Result(reply))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
            call.onAbandon = { [engine] in engine.login.cancel(ticket) }
        }
    }

    /// Refuses a call as the queue would before its first effect. The other methods have nothing to
    /// refuse, or cannot know before they ask the store.
    func check(
        _ call: Check.Params, _ request: Request, _ tape: JSONTape, _ line: Span<UInt8>
    ) throws(ErrorObject) {
        switch Contract.spec(named: call.method)?.queueCheck {
        case .payment:
            let add = try MethodTable.decode(AddPayment.self, tape, call.params, line).params
            try admitWork(add.key)
            try telling { () throws(EngineRefusal) in
                try engine.commands.check(add, origin: request.origin)
            }
        case .restore:
            let asked = try MethodTable.decode(RestorePurchases.self, tape, call.params, line)
                .params
            try admitWork(asked.key)
            try telling { () throws(EngineRefusal) in
                try engine.commands.check(
                    RestoreRequest(appAccountToken: asked.appAccountToken, key: asked.key))
            }
        case .transaction:
            let finish = try MethodTable.decode(
                FinishTransaction.self, tape, call.params, line
            ).params
            guard let id = finish.transaction.id, engine.queue.isKnown(id) else {
                throw Failures.unknownTransaction(finish.transaction)
            }
        case .nothing, nil: break
        }
    }

    func finish(
        _ params: FinishTransaction.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<FinishTransaction.Result> {
        guard let id = params.transaction.id else {
            throw Failures.unknownTransaction(params.transaction)
        }
        let answer = try telling(naming: params.transaction) { () throws(EngineRefusal) in
            try engine.commands.finish(id, origin: request.origin)
        }
        return .now(
            FinishTransaction.Result(
                transaction: id, disposition: answer.disposition, sequence: answer.sequence))
    }

    func transactions(
        _ params: Transactions.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Transactions.Result> {
        let sequence = engine.queue.head
        let withEnded = request.seesEnded
        if let ids = params.ids {
            let filter = TransactionFilter(params)
            let entries = ids.compactMap { visibleEntry($0.id, withEnded: withEnded) }
                .filter { filter.admits($0) }
            return .now(Transactions.Result(entries: entries, sequence: sequence))
        }
        var pager = try TransactionPager(params, incarnation: engine.queue.incarnation)
        let entries = pager.nextPage(
            of: engine.queue, withEnded: withEnded, byteLimit: limits.replyLineBytes / 2)
        return .now(
            Transactions.Result(entries: entries, sequence: sequence, next: pager.nextToken))
    }

    func wait(
        _ params: WaitForTransaction.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<WaitForTransaction.Result> {
        switch params.subject {
        case .transaction(let reference):
            let withEnded = request.seesEnded
            guard let id = reference.id, visibleEntry(id, withEnded: withEnded) != nil else {
                throw Failures.unknownTransaction(reference)
            }
            return waitForTransaction(id, params, withEnded: withEnded)
        case .restore(let id, let text):
            guard let id else { throw Failures.unknownRestore(text) }
            return try waitForRestore(id, text, timeout: params.timeout)
        }
    }

    private func waitForTransaction(
        _ id: TransactionID, _ params: WaitForTransaction.Params, withEnded: Bool
    ) -> Answer<WaitForTransaction.Result> {
        let condition = WaitCondition(params.until)
        if let result = waitResult(id, condition, withEnded: withEnded) { return .now(result) }
        return .later { [self] call in
            let start = engine.reader.wait(for: id, until: condition) { [self] reached in
                answerWait(call, id, reached: reached, withEnded: withEnded)
            }
            guard case .later(let waiter) = start else {
                return answerWait(call, id, reached: true, withEnded: withEnded)
            }
            call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
            call.schedule(after: params.timeout, on: loop) { [self] in
                engine.reader.cancel(waiter)
                answerWait(call, id, reached: false, withEnded: withEnded)
            }
        }
    }

    private func waitResult(
        _ id: TransactionID, _ condition: WaitCondition, withEnded: Bool
    ) -> WaitForTransaction.Result? {
        guard let entry = visibleEntry(id, withEnded: withEnded) else { return nil }
        let isReached: Bool
        if entry.finish != nil {
            isReached = condition.removal
        } else if condition.phases.contains(entry.transaction.state.phase) {
            isReached = true
        } else {
            return nil
        }
        return WaitForTransaction.Result(
            entry: entry, isReached: isReached, sequence: engine.queue.head)
    }

    private func answerWait(
        _ call: WaitingCall, _ id: TransactionID, reached: Bool, withEnded: Bool
    ) {
        guard let entry = visibleEntry(id, withEnded: withEnded) else {
            return call.fail(Failures.unknownTransaction(.id(id)))
        }
        call.succeed(
            WaitForTransaction.Result(
                entry: entry, isReached: reached, sequence: engine.queue.head))
    }

    /// A transaction as the session may see it.
    ///
    /// - Parameters:
    ///   - id: The transaction.
    ///   - withEnded: Whether it may also be an unfinished one of an account whose session the store
    ///     has ended.
    /// - Returns: The transaction and how it stands; nil if it is not to be seen.
    func visibleEntry(
        _ id: TransactionID?, withEnded: Bool
    ) -> Transactions.Result.Entry? {
        guard let id, let transaction = engine.queue.transaction(id) else { return nil }
        let finish = engine.queue.finish(of: id)
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

extension Request {
    /// Whether the caller is shown what waits because the store ended a session: an administrator is.
    var seesEnded: Bool { connection.roles.contains(.admin) }
}

extension AddPayment.Result {
    init(_ reply: AddReply) {
        self.init(
            transaction: reply.transaction.id, state: reply.transaction.state.phase,
            waitingFor: reply.waitingFor, sequence: reply.sequence,
            isDuplicate: reply.isDuplicate, removed: reply.removed)
    }
}

extension WaitCondition {
    init(_ goals: Set<WaitForTransaction.Goal>) {
        let phases = TransactionState.Phase.allCases.filter {
            goals.contains(WaitForTransaction.Goal($0))
        }
        self.init(phases: Set(phases), removal: goals.contains(.removed))
    }
}

extension ServerCore {
    /// Has the engine do something; what it refuses is thrown as clients are told of it.
    @inline(__always)
    func telling<Value>(
        naming reference: TransactionReference? = nil,
        _ work: () throws(EngineRefusal) -> Value
    ) throws(ErrorObject) -> Value {
        do throws(EngineRefusal) {
            return try work()
        } catch {
            throw error.errorObject(naming: reference)
        }
    }
}

extension EngineRefusal {
    /// The refusal as clients are told of it.
    func errorObject(naming reference: TransactionReference? = nil) -> ErrorObject {
        switch self {
        case .refused(let refusal): refusal.errorObject(naming: reference)
        case .outOfSpace:
            ErrorCode.notDurable.object(
                message: "There is no disk space for the payment", effect: ErrorCode.Effect.none)
        case .store(let failure): failure.errorObject()
        case .cancelled: ErrorCode.cancelled.object()
        case .loginDiscarded: ErrorCode.loginDiscarded.object()
        case .rejectedAfterLogin: ErrorCode.rejectedAfterLogin.object()
        case .notLoggedIn: ErrorCode.notLoggedIn.object()
        case .pageExpired: ErrorCode.pageExpired.object()
        }
    }
}
