import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of `restore` and `entitlements`.
struct RestoreHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(RestorePurchases.self, restore, check: check)
        methods.register(Entitlements.self, entitlements) { _, _ throws(ErrorObject) in
            try context.requireSession()
        }
    }

    func restore(
        _ params: RestorePurchases.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<RestorePurchases.Result> {
        try context.admitWork(params.key)
        let origin = request.origin
        let asked = RestoreRequest(appAccountToken: params.appAccountToken, key: params.key)
        // In a batch no agent is asked for a login; the restore waits for the next login.
        guard engine.login.asksForLogin, !request.isInBatch else {
            let reply = try translatingRefusal { () throws(EngineRefusal) in
                try engine.commands.restore(asked, origin: origin)
            }
            return .now(RestorePurchases.Result(reply))
        }
        return later({ RestorePurchases.Result($0) }) { [engine] in
            engine.login.restoreAfterLogin(asked, origin: origin, answer: $0)
        }
    }

    private func check(
        _ params: RestorePurchases.Params, _ request: Request
    ) throws(ErrorObject) {
        try context.admitWork(params.key)
        try translatingRefusal { () throws(EngineRefusal) in
            try engine.commands.check(
                RestoreRequest(appAccountToken: params.appAccountToken, key: params.key),
                origin: request.origin)
        }
    }

    func entitlements(
        _ params: Entitlements.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Entitlements.Result> {
        try context.leaveToOwner(request.connection)
        try context.requireSession()
        return later({ Entitlements.Result(purchases: $0) }) { [engine] answer in
            engine.store.listing.entitlements(answer: answer)
            return nil
        }
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
