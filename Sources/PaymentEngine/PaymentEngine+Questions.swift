public import PaymentCore

/// An open question as it is shown.
public struct OpenQuestion: Sendable, Hashable {
    /// The question.
    public var question: Question
    /// When silence is taken for its fallback; nil until it has reached somebody who may answer.
    public var deadline: Timestamp?

    /// Makes one.
    public init(question: Question, deadline: Timestamp?) {
        self.question = question
        self.deadline = deadline
    }
}

/// Runs while silence is waited for.
struct QuestionClock {
    var timer: any EngineTimer
    var deadline: Timestamp
    /// Whether it runs from the moment that somebody who may answer was asked.
    var wasAsked: Bool
}

/// The gate policy and the questions.
extension PaymentEngine {
    /// Puts another gate policy in force; the same again changes nothing. Open questions stay as
    /// they were asked.
    ///
    /// - Returns: The position as of which it holds.
    /// - Throws: There is no room to keep it.
    @discardableResult
    public func setPolicy(
        _ policy: GatePolicy, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        queue.decidePolicy(policy, events: &events)
        try dropUnlessThereIsRoom()
        return recordEvents(origin: origin, time: sources.wallClock())
    }

    /// The open questions that the session sees, in the order of opening.
    public var visibleQuestions: [OpenQuestion] {
        queue.visibleQuestions.map { OpenQuestion(question: $0, deadline: deadline(of: $0.id)) }
    }

    /// When silence is taken for an answer to an open question; nil until it has reached somebody
    /// who may answer it.
    public func deadline(of question: QuestionID) -> Timestamp? {
        clocks[question]?.deadline
    }

    /// The deadline of the question that a record opened, if it is one and is still open.
    public func deadline(of record: Record) -> Timestamp? {
        guard case .questionOpened(let question) = record.event else { return nil }
        return deadline(of: question.id)
    }

    /// Takes an answer; the first one wins. The connection that gave it may give it again, as a client
    /// does that has lost the reply; any other is told that the question is closed.
    ///
    /// - Parameters:
    ///   - id: The question.
    ///   - value: The answer. True to a login question without a login means that its calls go on
    ///     and their work waits for one.
    ///   - note: What the one who answers says about it.
    ///   - origin: Who answers.
    /// - Returns: The record of the answer.
    /// - Throws: The session sees no such question, or it has ended.
    public func answer(
        _ id: QuestionID, value: Bool, note: OpaqueText? = nil, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        let question = queue.openQuestion(id)
        // Somebody has logged in within this turn, which was the first answer.
        if question?.kind == .login, queue.session != nil { throw .refused(.questionClosed(id)) }
        let context = context(origin)
        do throws(Refusal) {
            try queue.decideAnswer(id, value, note: note, context, events: &events)
        } catch {
            if case .questionClosed = error, let origin,
                let sequence = answers.sequence(of: id, value, by: origin.connection)
            {
                return sequence
            }
            throw .refused(error)
        }
        let closing = events.lastIndex { $0.isClosing(of: id) }
        let sequence = recordEvents(origin: origin, time: context.now, own: closing)
        if let origin { answers.note(id, value, by: origin.connection, sequence) }
        if let question { callersHear(of: question, value) }
        return sequence
    }

    /// Notes what a record means for the clocks. People who log in or pay are there when they are
    /// asked; who decides at a gate may come at any time, and is waited for from then on.
    func noteClock(of event: Event) {
        switch event {
        case .questionOpened(let question):
            if question.kind == .login || question.kind == .payment { startClock(of: question) }
        case .questionClosed(let closing):
            clocks.removeValue(forKey: closing.id)?.timer.cancel()
        default: break
        }
    }

    /// Notes that a question is about to reach a subscriber.
    func noteAsked(_ question: Question, _ subscription: Subscription) {
        guard question.kind != .login, subscription.isAsked(question.kind),
            clocks[question.id]?.wasAsked != true, queue.openQuestion(question.id) != nil,
            queue.isVisible(question)
        else { return }
        startClock(of: question, wasAsked: true)
    }

    /// Notes what the peer of a subscription may do from now on. A question that reaches one who may
    /// not answer has not been asked; one who may from now on is shown what is open.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - mayAnswer: Whether its peer may answer questions.
    ///   - agents: What it may ask a person for, if it offered to.
    public func allow(
        _ subscription: Subscription, toAnswer mayAnswer: Bool, asAgents agents: Set<AgentKind>
    ) {
        let agents = subscription.offered.intersection(agents)
        let isNews = mayAnswer && !subscription.request.mayAnswer
        guard
            mayAnswer != subscription.request.mayAnswer
                || agents != subscription.request.agents
        else { return }
        subscription.request.mayAnswer = mayAnswer
        subscription.request.agents = agents
        observersDidChange()
        if isNews { showQuestions(to: subscription) }
        scheduleTurnEnd()
    }

    /// Shows a subscription every open question once more, then `caughtUp`: some it was not shown while
    /// its peer could do nothing about them. One that reads the log still gets to them by itself.
    private func showQuestions(to subscription: Subscription) {
        switch subscription.phase {
        case .replaying: return
        case .redelivering: break
        case .live:
            // There is nothing else behind this place.
            subscription.phase = .redelivering(position: .max)
            subscription.baseline = subscription.scanned
        }
        subscription.questionsShown = 0
        catchUpLater(subscription)
    }

    /// Settles what the turn has changed for questions, by what is true at its end: session, agents.
    func reviewQuestions() {
        settleLogin()
        guard needsReview else { return }
        needsReview = false
        let context = context(nil)
        let hasPaymentAgent = queue.activeObservers.hasPaymentAgent
        if hadPaymentAgent, !hasPaymentAgent {
            queue.decidePaymentAgentGone(context, events: &events)
            recordEvents(origin: nil, time: context.now)
        }
        hadPaymentAgent = hasPaymentAgent
        queue.decideReview(context, events: &events)
        recordEvents(origin: nil, time: context.now)
        dropHiddenAfterLogin()
        reviewClocks()
    }

    /// Puts right what the end of the process before cut off, before anything is asked of the store.
    func reviewAfterStart() {
        let context = context(nil)
        queue.decideReview(context, afterStart: true, events: &events)
        recordEvents(origin: nil, time: context.now)
        reviewClocks()
    }

    /// Clocks run for what the session sees only. A payment agent that was lost with the process or
    /// the session has its time to come back.
    private func reviewClocks() {
        for (id, clock) in clocks {
            guard let question = queue.openQuestion(id), queue.isVisible(question) else {
                clock.timer.cancel()
                clocks[id] = nil
                continue
            }
        }
        for question in queue.visibleQuestions
        where question.kind == .payment && clocks[question.id] == nil {
            startClock(of: question)
        }
    }

    func startClock(of question: Question, wasAsked: Bool = false) {
        let id = question.id
        clocks[id]?.timer.cancel()
        let timer = loop.schedule(after: .milliseconds(question.patienceMs)) { [self] in
            timeOut(id)
        }
        let now = sources.wallClock().milliseconds
        clocks[id] = QuestionClock(
            timer: timer, deadline: Timestamp(milliseconds: now + question.patienceMs),
            wasAsked: wasAsked)
    }

    private func timeOut(_ id: QuestionID) {
        clocks[id] = nil
        guard !hasFailed, !hasStopped, let question = queue.openQuestion(id) else { return }
        // Somebody has logged in within this turn; its end decides.
        if question.kind == .login, queue.session != nil { return }
        let context = context(nil)
        queue.decideTimeOut(id, context, events: &events)
        recordEvents(origin: nil, time: context.now)
        callersHear(of: question, question.fallback)
    }
}

/// Open questions shown again to those who can do something about them.
extension PaymentEngine {
    /// Sends a page of the open questions that a subscriber has missed.
    ///
    /// - Returns: Whether that was the last one.
    func redeliverQuestions(to subscription: Subscription) -> Bool {
        guard !subscription.skipsRedelivery || !subscription.request.agents.isEmpty else {
            return true
        }
        var page: [Question] = []
        var isComplete = true
        // Collected first: a sink that fails ends its subscriptions, which changes the queue.
        queue.forEachVisibleQuestion(after: subscription.questionsShown) { question, opened in
            guard opened <= subscription.baseline else { return false }
            guard page.count < Self.pageOfTransactions else {
                isComplete = false
                return false
            }
            subscription.questionsShown = opened
            if subscription.isShown(question.kind), subscription.admits(question) {
                page.append(question)
            }
            return true
        }
        for question in page where !subscription.isEnded {
            noteAsked(question, subscription)
            let open = OpenQuestion(question: question, deadline: deadline(of: question.id))
            tell(.question(open, position: subscription.previous), to: subscription)
        }
        return isComplete
    }

    /// Notes which questions of a turn reach somebody who may answer, before they are told, so that
    /// everybody is told the deadline.
    func noteAsked(in visible: [(Record, EventKind)]) {
        for case (let record, .questionOpened) in visible {
            guard case .questionOpened(let question) = record.event else { continue }
            for subscription in subscriptions
            where subscription.isLive && subscription.sink.hasRoom
                && subscription.admits(question)
            {
                noteAsked(question, subscription)
            }
        }
    }

    /// Whether somebody is there who can ask a person for something.
    func hasAgent(_ kind: AgentKind) -> Bool {
        subscriptions.contains { $0.request.agents.contains(kind) }
    }

    /// An agent may have come or gone; the end of the turn decides what that means.
    func agentsDidChange() {
        let hasPaymentAgent = hasAgent(.payment)
        queue.activeObservers.hasPaymentAgent = hasPaymentAgent
        guard hasPaymentAgent != hadPaymentAgent || loginDesk.question != nil else { return }
        needsReview = true
        scheduleTurnEnd()
    }
}

extension Subscription {
    /// Whether a question of a kind counts as asked when it reaches this subscriber.
    func isAsked(_ kind: Question.Kind) -> Bool {
        switch kind {
        case .login: request.agents.contains(.login)
        case .payment: request.agents.contains(.payment)
        case .shouldContinue, .afterLogin: request.mayAnswer
        }
    }

    /// Whether an open question of a kind is shown again to this subscriber.
    func isShown(_ kind: Question.Kind) -> Bool {
        request.mayAnswer || isAsked(kind)
    }
}

extension Event {
    /// Whether it ends a question.
    fileprivate func isClosing(of id: QuestionID) -> Bool {
        guard case .questionClosed(let closing) = self else { return false }
        return closing.id == id
    }
}

/// The last answers that were given, so that a client that lost the reply may repeat its own.
struct GivenAnswers {
    /// How many are known.
    private static let limit = 256

    private struct Answer {
        var id: QuestionID
        var value: Bool
        var connection: UInt64
        var sequence: SequenceNumber
    }

    private var answers: [Answer] = []
    private var next = 0

    /// Notes an answer, in place of the oldest one if there are too many.
    mutating func note(
        _ id: QuestionID, _ value: Bool, by connection: UInt64, _ sequence: SequenceNumber
    ) {
        let answer = Answer(id: id, value: value, connection: connection, sequence: sequence)
        if answers.count < Self.limit {
            answers.append(answer)
        } else {
            answers[next] = answer
            next = (next + 1) % Self.limit
        }
    }

    /// The record of an answer; nil if this connection did not give it.
    func sequence(of id: QuestionID, _ value: Bool, by connection: UInt64) -> SequenceNumber? {
        answers.first { $0.id == id && $0.value == value && $0.connection == connection }?.sequence
    }
}
