import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON

@testable import PaymentServer

/// Payments, restores, sessions and questions.
extension EngineWire {
    func queueMethod(_ call: Call) throws -> Attempt? {
        let reply = Later(wire: self, id: call.id)
        return switch call.method {
        case "add": try add(call, reply)
        case "restore": try restore(call, reply)
        case "finish": try call.run(FinishTransaction.self, finish)
        case "login": try call.start(Login.self) { logIn($0, reply) }
        case "logout":
            try call.run(Logout.self) { _ in
                Logout.Result(sequence: engine.store.sessions.logOut(origin: Samples.origin))
            }
        case "storefront": try call.run(StorefrontMethod.self, storefront)
        case "delegate": try call.run(Delegate.self, delegate)
        case "questions":
            try call.run(Questions.self) { _ in
                Questions.Result(
                    entries: engine.questions.visible.map {
                        .init(question: $0.question, deadline: $0.deadline)
                    })
            }
        case "answer": try call.run(AnswerQuestion.self, answer)
        case "entitlements": try entitlements(call, reply)
        case "signedHistory": try signedHistory(call, reply)
        case "keys": try keys(call, reply)
        default: nil
        }
    }

    private func add(_ call: Call, _ reply: Later) throws -> Attempt {
        guard engine.login.asksForLogin else {
            return try call.run(AddPayment.self) { params throws(ErrorObject) in
                AddPayment.Result(
                    try refusing { () throws(EngineRefusal) in
                        try engine.commands.add(params, origin: Samples.origin)
                    })
            }
        }
        return try call.start(AddPayment.self) { params in
            _ = engine.login.addAfterLogin(params, origin: Samples.origin) { result in
                switch result {
                case .success(let added): reply.succeed(AddPayment.Result(added))
                case .failure(let refusal): reply.fail(refusal)
                }
            }
        }
    }

    private func restore(_ call: Call, _ reply: Later) throws -> Attempt {
        guard engine.login.asksForLogin else {
            return try call.run(RestorePurchases.self) { params throws(ErrorObject) in
                Self.result(
                    try refusing { () throws(EngineRefusal) in
                        try engine.commands.restore(Self.request(params), origin: Samples.origin)
                    })
            }
        }
        return try call.start(RestorePurchases.self) { params in
            _ = engine.login.restoreAfterLogin(
                Self.request(params), origin: Samples.origin
            ) { result in
                switch result {
                case .success(let accepted): reply.succeed(Self.result(accepted))
                case .failure(let refusal): reply.fail(refusal)
                }
            }
        }
    }

    private static func request(_ params: RestorePurchases.Params) -> RestoreRequest {
        RestoreRequest(appAccountToken: params.appAccountToken, key: params.key)
    }

    private static func result(_ reply: RestoreReply) -> RestorePurchases.Result {
        RestorePurchases.Result(
            restore: reply.restore, state: reply.state,
            waitingFor: reply.waitingFor, sequence: reply.sequence,
            isDuplicate: reply.isDuplicate)
    }

    private func finish(
        _ params: FinishTransaction.Params
    ) throws(ErrorObject) -> FinishTransaction.Result {
        guard let id = params.transaction.id else {
            throw Failures.unknownTransaction(params.transaction)
        }
        do throws(EngineRefusal) {
            let answer = try engine.commands.finish(id, origin: Samples.origin)
            return FinishTransaction.Result(
                transaction: id, disposition: answer.disposition, sequence: answer.sequence)
        } catch {
            throw error.errorObject(naming: params.transaction)
        }
    }

    private func logIn(_ params: Login.Params, _ reply: Later) {
        let answer: @Sendable (Result<(Session, SequenceNumber), EngineRefusal>) -> Void = {
            switch $0 {
            case .success((let session, let sequence)):
                reply.succeed(Login.Result(session: session, sequence: sequence))
            case .failure(let refusal): reply.fail(refusal)
            }
        }
        if let account = params.account {
            engine.store.sessions.logIn(
                account: account, credential: params.credential, origin: Samples.origin,
                answer: answer)
        } else {
            _ = engine.login.logInByAgent(origin: Samples.origin, answer: answer)
        }
    }

    private func storefront(_ params: StorefrontMethod.Params) -> StorefrontMethod.Result {
        switch params.assume {
        case .country(let country)?:
            _ = try? engine.store.catalogues.assume(country, origin: Samples.origin)
        case .nothing?: _ = try? engine.store.catalogues.assume(nil, origin: Samples.origin)
        case nil: break
        }
        return StorefrontMethod.Result(
            session: engine.queue.session, assumed: engine.queue.assumedCountry,
            endedSession: engine.queue.endedSession)
    }

    private func delegate(_ params: Delegate.Params) -> Delegate.Result {
        var sequence = engine.queue.head
        if !params.isEmpty {
            let policy = params.applied(to: engine.queue.policy)
            sequence = (try? engine.commands.setPolicy(policy, origin: Samples.origin)) ?? sequence
        }
        return Delegate.Result(policy: engine.queue.policy, sequence: sequence)
    }

    private func answer(
        _ params: AnswerQuestion.Params
    ) throws(ErrorObject) -> AnswerQuestion.Result {
        guard let question = params.question else { throw ErrorCode.unknownQuestion.object() }
        return AnswerQuestion.Result(
            sequence: try refusing { () throws(EngineRefusal) in
                try engine.questions.answer(
                    question, value: params.value, note: params.reason, origin: Samples.origin)
            })
    }

    private func entitlements(_ call: Call, _ reply: Later) throws -> Attempt {
        try call.start(Entitlements.self) { _ in
            engine.store.listing.entitlements { result in
                switch result {
                case .success(let purchases):
                    reply.succeed(Entitlements.Result(purchases: purchases))
                case .failure(let refusal): reply.fail(refusal)
                }
            }
        }
    }

    private func signedHistory(_ call: Call, _ reply: Later) throws -> Attempt {
        try call.start(SignedHistoryMethod.self) { params in
            let query = HistoryQuery(page: params.page, limit: params.limit)
            engine.store.listing.signedHistory(query, of: Samples.origin.uid) { result in
                switch result {
                case .success(let history):
                    reply.succeed(SignedHistoryMethod.Result(history: history))
                case .failure(let refusal): reply.fail(refusal)
                }
            }
        }
    }

    private func keys(_ call: Call, _ reply: Later) throws -> Attempt {
        try call.start(Keys.self) { _ in
            engine.store.listing.keys { result in
                switch result {
                case .success(let keys): reply.succeed(Keys.Result(keys: keys))
                case .failure(let refusal): reply.fail(refusal)
                }
            }
        }
    }

    /// Says a refusal in the words of the contract.
    func refusing<Value>(
        _ body: () throws(EngineRefusal) -> Value
    ) throws(ErrorObject) -> Value {
        do throws(EngineRefusal) {
            return try body()
        } catch {
            throw error.errorObject()
        }
    }
}
