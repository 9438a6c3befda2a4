@testable import PaymentCore
import PaymentTesting

/// What the bench does about questions.
extension Bench {
    /// A busy queue with this gate policy.
    static func gated(
        _ mode: GatePolicy.Mode = .ask, fallback: Bool = false, patienceMs: Int64 = 5000
    ) -> Bench {
        var bench = Bench.busy()
        bench.setPolicy(GatePolicy(mode: mode, timeoutMs: patienceMs, fallback: fallback))
        return bench
    }

    @discardableResult
    mutating func setPolicy(_ policy: GatePolicy) -> [Event] {
        var events: [Event] = []
        queue.decidePolicy(policy, events: &events)
        return apply(events)
    }

    /// Puts another session in force and lets the questions follow, as the end of a turn does.
    @discardableResult
    mutating func move(_ account: AccountName?, to country: CountryCode? = nil) -> [Event] {
        logIn(account, in: country) + review()
    }

    @discardableResult
    mutating func review(afterStart: Bool = false) -> [Event] {
        var events: [Event] = []
        queue.decideReview(context, afterStart: afterStart, events: &events)
        return apply(events)
    }

    @discardableResult
    mutating func answer(_ id: QuestionID, _ value: Bool) throws(Refusal) -> [Event] {
        var events: [Event] = []
        try queue.decideAnswer(id, value, context, events: &events)
        return apply(events)
    }

    @discardableResult
    mutating func timeOut(_ id: QuestionID) -> [Event] {
        var events: [Event] = []
        queue.decideTimeOut(id, context, events: &events)
        return apply(events)
    }

    /// Takes the last payment agent away.
    @discardableResult
    mutating func loseAgent() -> [Event] {
        queue.activeObservers.hasPaymentAgent = false
        var events: [Event] = []
        queue.decidePaymentAgentGone(context, events: &events)
        return apply(events)
    }

    /// The one question that the session sees; nil if there is none or more than one.
    var question: Question? {
        let all = queue.visibleQuestions
        return all.count == 1 ? all.first : nil
    }

    /// How a transaction stands, in words: state, price, country.
    func standing(_ id: TransactionID) -> String {
        guard let transaction = queue.transaction(id) else { return "unknown" }
        if let finish = queue.finish(of: id) { return "removed: \(finish.reason)" }
        let price = transaction.payment.product.product.price.amount.text
        return "\(transaction.state.word) \(price) \(transaction.country)"
    }
}

extension [Event] {
    /// The events in a word each.
    var words: [String] {
        map { event in
            switch event {
            case .questionOpened(let question): "\(question.kind)?"
            case .questionClosed(let closing):
                "\(closing.reason)" + (closing.value.map { " \($0)" } ?? "")
            case .transaction(.removed(let reason), _): "\(reason)"
            case .transaction(.submitted, _): "submitted"
            case .transaction(let change, _): "\(change)"
            case .productRecorded: "product"
            case .sessionChanged: "session"
            default: "other"
            }
        }
    }
}
