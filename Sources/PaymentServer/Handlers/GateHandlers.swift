import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of `delegate`, `questions` and `answer`.
struct GateHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(Delegate.self, delegate, check: checkDelegate)
        methods.register(Questions.self, questions)
        methods.register(AnswerQuestion.self, answer, check: checkAnswer)
    }

    private func checkDelegate(
        _ params: Delegate.Params, _ request: Request
    ) throws(ErrorObject) {
        if !params.isEmpty { try request.require(.gate) }
    }

    func delegate(
        _ params: Delegate.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Delegate.Result> {
        guard !params.isEmpty else {
            return .now(Delegate.Result(policy: engine.queue.policy, sequence: engine.queue.head))
        }
        try checkDelegate(params, request)
        let sequence = try translatingRefusal { () throws(EngineRefusal) in
            try engine.commands.setPolicy(
                params.applied(to: engine.queue.policy), origin: request.origin)
        }
        return .now(Delegate.Result(policy: engine.queue.policy, sequence: sequence))
    }

    func questions(
        _ params: Questions.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Questions.Result> {
        let entries = engine.questions.visible.map {
            Questions.Result.Entry(question: $0.question, deadline: $0.deadline)
        }
        return .now(Questions.Result(entries: entries))
    }

    func answer(
        _ params: AnswerQuestion.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<AnswerQuestion.Result> {
        let sequence = try named(params) { question throws(EngineRefusal) in
            try engine.questions.answer(
                question, value: params.value, note: params.reason, origin: request.origin)
        }
        return .now(AnswerQuestion.Result(sequence: sequence))
    }

    private func checkAnswer(
        _ params: AnswerQuestion.Params, _ request: Request
    ) throws(ErrorObject) {
        try named(params) { question throws(EngineRefusal) in
            try engine.questions.check(question, value: params.value, origin: request.origin)
        }
    }

    /// Runs a call about a question. The error about an unknown question contains the text that the
    /// client sent.
    private func named<Result>(
        _ params: AnswerQuestion.Params, _ work: (QuestionID) throws(EngineRefusal) -> Result
    ) throws(ErrorObject) -> Result {
        guard let question = params.question else {
            throw Failures.unknownQuestion(params.text)
        }
        do throws(EngineRefusal) {
            return try work(question)
        } catch .refused(.unknownQuestion) {
            throw Failures.unknownQuestion(params.text)
        } catch {
            throw error.errorObject()
        }
    }
}
