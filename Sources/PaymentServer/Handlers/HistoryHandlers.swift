import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of `signedHistory` and `keys`.
struct HistoryHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(SignedHistoryMethod.self, signedHistory) { _, _ throws(ErrorObject) in
            try context.requireSession()
        }
        methods.register(Keys.self, keys)
    }

    func signedHistory(
        _ params: SignedHistoryMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<SignedHistoryMethod.Result> {
        try context.leaveToOwner(request.connection)
        try context.requireSession()
        let query = HistoryQuery(
            page: params.page, limit: params.limit,
            limitBytes: limits.replyLineBytes - SignedHistory.envelopeBytes)
        return later({ SignedHistoryMethod.Result(history: $0) }) { [engine] answer in
            engine.store.listing.signedHistory(
                query, of: request.connection.caller.peer.uid, answer: answer)
            return nil
        }
    }

    func keys(
        _ params: Keys.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Keys.Result> {
        try context.leaveToOwner(request.connection)
        return later({ Keys.Result(keys: $0) }) { [engine] answer in
            engine.store.listing.keys(answer: answer)
            return nil
        }
    }
}
