import PaymentCore
import PaymentEngine
import PaymentTesting
import Testing

/// What the bench does about questions.
extension EngineBench {
    /// A bench whose gate asks, with somebody who watches and may answer.
    static func asking(
        _ policy: GatePolicy = GatePolicy(mode: .ask, timeoutMs: 5000)
    ) -> (EngineBench, RecordingTarget) {
        let bench = EngineBench()
        bench.logIn()
        bench.setPolicy(policy)
        let target = RecordingTarget()
        _ = bench.subscribe(target, SubscriptionRequest(mayAnswer: true))
        bench.run()
        return (bench, target)
    }

    /// Puts a policy in force; the journal of a bench has room.
    func setPolicy(_ policy: GatePolicy) {
        #expect(throws: Never.self) {
            try engine.commands.setPolicy(policy, origin: Samples.origin)
        }
    }

    /// Assumes a country.
    func assume(_ country: CountryCode?) {
        #expect(throws: Never.self) { try engine.store.catalogues.assume(country, origin: nil) }
    }

    /// Adds in Germany and moves to France before anything starts, all in one turn.
    @discardableResult
    func addAndMove(key: OpaqueText? = nil) -> TransactionID {
        let id = add(key: key).transaction.id
        move(to: Samples.france)
        return id
    }

    func move(to country: CountryCode) {
        engine.store.sessions.storeChanged(paymentsAllowed: nil, country: country)
        run()
    }

    /// The one question that the session sees; nil if there is none or more than one.
    var question: OpenQuestion? {
        let all = engine.questions.visible
        return all.count == 1 ? all.first : nil
    }

    /// Answers the one question that is open, and says whether that was taken.
    @discardableResult
    func answer(_ value: Bool) -> Bool {
        guard let question else { return false }
        defer { run() }
        return (try? engine.questions.answer(question.question.id, value: value, origin: nil))
            != nil
    }

    @discardableResult
    func agent(_ kinds: Set<AgentKind>, _ target: RecordingTarget = RecordingTarget())
        -> Subscription
    {
        let subscription = subscribe(
            target, SubscriptionRequest(isPassive: true, agents: kinds, mayAnswer: true))
        run()
        return subscription
    }

    /// How many records of a kind are durable.
    func count(_ kind: EventKind) -> Int {
        journal.durable.count { EventKind(of: $0.event) == kind }
    }

    /// How the last question that ended did.
    var lastClosing: QuestionClosing? {
        for record in journal.durable.reversed() {
            if case .questionClosed(let closing) = record.event { return closing }
        }
        return nil
    }
}

extension RecordingTarget {
    /// The questions that it was told of, oldest first.
    var questions: [QuestionID] {
        deliveries.compactMap { delivery in
            switch delivery {
            case .question(let open, _): open.question.id
            case .record(let record, _):
                if case .questionOpened(let question) = record.event { question.id } else { nil }
            default: nil
            }
        }
    }

    /// Whether it was told of a question.
    var isAsked: Bool { !questions.isEmpty }
}

/// What callers were answered.
///
/// Proof: a test makes it and uses it on its own thread.
final class Answered<Answer>: @unchecked Sendable {
    private(set) var all: [Result<Answer, EngineRefusal>] = []

    func take(_ answer: Result<Answer, EngineRefusal>) {
        all.append(answer)
    }

    /// What the calls were refused with, nil for those that were not.
    var refusals: [EngineRefusal?] {
        all.map { if case .failure(let refusal) = $0 { refusal } else { nil } }
    }
}
