import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// `restore`, `entitlements`, and `wait` for a restore.
extension ServerCore {
    func registerRestoreMethods() {
        methods.register(RestorePurchases.self, restore)
        methods.register(Entitlements.self, entitlements)
    }

    func restore(
        _ params: RestorePurchases.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<RestorePurchases.Result> {
        try admitWork(params.key)
        let origin = request.origin
        let asked = RestoreRequest(appAccountToken: params.appAccountToken, key: params.key)
        // In a batch nobody is asked; the restore waits for whoever logs in next.
        guard engine.login.asksForLogin, !request.isInBatch else {
            let reply = try telling { () throws(EngineRefusal) in
                try engine.commands.restore(asked, origin: origin)
            }
            return .now(RestorePurchases.Result(reply))
        }
        return .later { [self] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            let ticket = engine.login.restoreAfterLogin(asked, origin: origin) { result in
                switch result {
                case .success(let reply): bound.value.succeed(RestorePurchases.Result(reply))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
            call.onAbandon = { [engine] in engine.login.cancel(ticket) }
        }
    }

    func entitlements(
        _ params: Entitlements.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Entitlements.Result> {
        guard engine.queue.session != nil else { throw ErrorCode.notLoggedIn.object() }
        return .later { [self] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            engine.entitlements { result in
                switch result {
                case .success(let purchases):
                    bound.value.succeed(Entitlements.Result(purchases: purchases))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
        }
    }

    /// Waits for the end of a restore.
    func waitForRestore(
        _ id: RestoreID, _ text: OpaqueText, timeout: Duration
    ) throws(ErrorObject) -> Answer<WaitForTransaction.Result> {
        guard let report = engine.reader.restoreReport(id) else {
            throw Failures.unknownRestore(text)
        }
        if report.outcome != nil { return .now(waitResult(report)) }
        return .later { [self] call in
            let waiter = engine.reader.wait(forRestore: id) { [self] in
                answerWait(call, forRestore: id, text)
            }
            guard let waiter else { return answerWait(call, forRestore: id, text) }
            call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
            call.schedule(after: timeout, on: loop) { [self] in
                engine.reader.cancel(waiter)
                answerWait(call, forRestore: id, text)
            }
        }
    }

    private func answerWait(_ call: WaitingCall, forRestore id: RestoreID, _ text: OpaqueText) {
        // Another account may be in session by now, which does not see it.
        guard let report = engine.reader.restoreReport(id) else {
            return call.fail(Failures.unknownRestore(text))
        }
        call.succeed(waitResult(report))
    }

    private func waitResult(_ report: RestoreReport) -> WaitForTransaction.Result {
        WaitForTransaction.Result(
            record: .restore(RestoreRecord(report)), isReached: report.outcome != nil,
            sequence: engine.queue.head)
    }
}

extension RestorePurchases.Result {
    init(_ reply: RestoreReply) {
        self.init(
            restore: reply.restore, state: reply.state,
            waitingFor: reply.waitingFor, sequence: reply.sequence,
            isDuplicate: reply.isDuplicate)
    }
}

extension RestoreRecord {
    init(_ report: RestoreReport) {
        self.init(
            id: report.restore.id, outcome: report.outcome, waitingFor: report.waitingFor)
    }
}
