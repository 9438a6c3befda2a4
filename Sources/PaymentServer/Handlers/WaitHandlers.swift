import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handler of `wait`, for a transaction or the end of a restore.
struct WaitHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(WaitForTransaction.self, wait, check: check)
    }

    func wait(
        _ params: WaitForTransaction.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<WaitForTransaction.Result> {
        switch params.subject {
        case .transaction(let reference):
            return try waitForTransaction(
                visibleID(reference, request), params, withEnded: request.seesEnded)
        case .restore(let id, let text):
            guard let id else { throw Failures.unknownRestore(text) }
            return try waitForRestore(id, text, timeout: params.timeout)
        }
    }

    private func check(
        _ params: WaitForTransaction.Params, _ request: Request
    ) throws(ErrorObject) {
        switch params.subject {
        case .transaction(let reference):
            _ = try visibleID(reference, request)
        case .restore(let id, let text):
            guard let id else { throw Failures.unknownRestore(text) }
            _ = try report(of: id, text)
        }
    }

    private func visibleID(
        _ reference: TransactionReference, _ request: Request
    ) throws(ErrorObject) -> TransactionID {
        guard let id = reference.id,
            try visibleEntry(id, withEnded: request.seesEnded) != nil
        else { throw Failures.unknownTransaction(reference) }
        return id
    }

    private func waitForTransaction(
        _ id: TransactionID, _ params: WaitForTransaction.Params, withEnded: Bool
    ) throws(ErrorObject) -> Answer<WaitForTransaction.Result> {
        let condition = WaitCondition(params.until)
        if let result = try waitResult(id, condition, withEnded: withEnded) { return .now(result) }
        return .later { call in
            let start = engine.reader.wait(for: id, until: condition) { [self] reached in
                answerWait(call, id, reached: reached, withEnded: withEnded)
            }
            guard case .later(let waiter) = start else {
                return answerWait(call, id, reached: true, withEnded: withEnded)
            }
            call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
            call.schedule(after: params.timeout, on: context.loop) { [self] in
                engine.reader.cancel(waiter)
                answerWait(call, id, reached: false, withEnded: withEnded)
            }
        }
    }

    private func waitResult(
        _ id: TransactionID, _ condition: WaitCondition, withEnded: Bool
    ) throws(ErrorObject) -> WaitForTransaction.Result? {
        guard let entry = try visibleEntry(id, withEnded: withEnded) else { return nil }
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
        do throws(ErrorObject) {
            guard let entry = try visibleEntry(id, withEnded: withEnded) else {
                throw Failures.unknownTransaction(.id(id))
            }
            call.succeed(
                WaitForTransaction.Result(
                    entry: entry, isReached: reached, sequence: engine.queue.head))
        } catch {
            call.fail(error)
        }
    }

    /// Waits for the end of a restore.
    private func waitForRestore(
        _ id: RestoreID, _ text: OpaqueText, timeout: Duration
    ) throws(ErrorObject) -> Answer<WaitForTransaction.Result> {
        let report = try report(of: id, text)
        if report.outcome != nil { return .now(waitResult(report)) }
        return .later { call in
            let waiter = engine.reader.wait(forRestore: id) { [self] in
                answerWait(call, forRestore: id, text)
            }
            guard let waiter else { return answerWait(call, forRestore: id, text) }
            call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
            call.schedule(after: timeout, on: context.loop) { [self] in
                engine.reader.cancel(waiter)
                answerWait(call, forRestore: id, text)
            }
        }
    }

    private func answerWait(_ call: WaitingCall, forRestore id: RestoreID, _ text: OpaqueText) {
        do throws(ErrorObject) {
            // Another account may be in session by now. The restore is then not visible, and the
            // call fails.
            call.succeed(waitResult(try report(of: id, text)))
        } catch {
            call.fail(error)
        }
    }

    private func report(
        of id: RestoreID, _ text: OpaqueText
    ) throws(ErrorObject) -> RestoreReport {
        let report = try translatingRefusal { () throws(EngineRefusal) in
            try engine.reader.restoreReport(id)
        }
        guard let report else { throw Failures.unknownRestore(text) }
        return report
    }

    private func waitResult(_ report: RestoreReport) -> WaitForTransaction.Result {
        WaitForTransaction.Result(
            record: .restore(RestoreRecord(report)), isReached: report.outcome != nil,
            sequence: engine.queue.head)
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

extension RestoreRecord {
    init(_ report: RestoreReport) {
        self.init(
            id: report.restore.id, outcome: report.outcome, waitingFor: report.waitingFor)
    }
}
