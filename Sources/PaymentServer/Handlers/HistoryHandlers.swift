import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// `signedHistory`, `keys`.
extension ServerCore {
    func registerHistoryMethods() {
        methods.register(SignedHistoryMethod.self, signedHistory)
        methods.register(Keys.self, keys)
    }

    func signedHistory(
        _ params: SignedHistoryMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<SignedHistoryMethod.Result> {
        // Unlike a purchase this never asks anybody to log in.
        guard engine.queue.session != nil else { throw ErrorCode.notLoggedIn.object() }
        let query = HistoryQuery(
            page: params.page, limit: params.limit,
            limitBytes: limits.replyLineBytes - SignedHistory.envelopeBytes)
        return .later { [self] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            engine.signedHistory(query) { result in
                switch result {
                case .success(let history):
                    bound.value.succeed(SignedHistoryMethod.Result(history: history))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
        }
    }

    func keys(
        _ params: Keys.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Keys.Result> {
        .later { [self] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            engine.storeKeys { result in
                switch result {
                case .success(let keys): bound.value.succeed(Keys.Result(keys: keys))
                case .failure(let refusal): bound.value.fail(refusal.errorObject())
                }
            }
        }
    }
}
