public import PaymentCore

/// An open question as it is shown.
public struct OpenQuestion: Sendable, Hashable {
    /// The question.
    public var question: Question
    /// The time at which the fallback applies. Nil while no clock runs: a question for agents has a
    /// clock from its opening, another question from its first delivery to a subscriber that may
    /// answer.
    public var deadline: Timestamp?

    /// Creates an open question.
    public init(question: Question, deadline: Timestamp?) {
        self.question = question
        self.deadline = deadline
    }
}

/// Answers to questions, and the review of open ones when session or agents have changed.
public final class QuestionRouting {
    private let writer: QueueWriter
    private let clocks: QuestionClocks
    private let login: LoginRouting
    private var answers = RecentAnswers()
    /// The number of session changes at the last review.
    private var reviewedChanges = 0
    /// Whether an agent could confirm charges at the last review.
    private var hadPaymentAgent = false
    /// The payment questions opened after this record end, because the last agent for them has left; nil while
    /// there is an agent, and when all have ended.
    private var unaskedAfter: SequenceNumber?
    /// Whether the queue is stopping. Agents then disconnect because their connections are closed.
    private var isStopping = false
    /// The number of questions that end before the clock is read again.
    private static let endsAtOnce = 16

    init(writer: QueueWriter, clocks: QuestionClocks, login: LoginRouting) {
        self.writer = writer
        self.clocks = clocks
        self.login = login
    }

    /// The open questions that the session sees, in the order of opening.
    public var visible: [OpenQuestion] {
        writer.queue.visibleQuestions.map {
            OpenQuestion(question: $0, deadline: clocks.deadline(of: $0.id))
        }
    }

    /// The deadline of an open question; nil while no clock runs, see ``OpenQuestion/deadline``.
    public func deadline(of question: QuestionID) -> Timestamp? { clocks.deadline(of: question) }

    /// The end of an agent's turn at the question that a record opened; nil if it has no turn at it.
    public func endOfTurn(of subscription: Subscription, at record: Record) -> Timestamp? {
        guard case .questionOpened(let question) = record.event,
            clocks.isTurn(of: subscription, at: question) == true
        else { return nil }
        return clocks.deadline(of: question, for: subscription)
    }

    /// The deadline of the question that a record opened, if it is one and is still open.
    public func deadline(of record: Record) -> Timestamp? {
        guard case .questionOpened(let question) = record.event else { return nil }
        return clocks.deadline(of: question.id)
    }

    /// Accepts an answer; the first one counts. The connection that gave it may repeat it, as a client
    /// does that has lost the reply. Any other answer is refused with `questionClosed`.
    ///
    /// - Parameters:
    ///   - id: The question.
    ///   - value: The answer. If a login question is answered with true and no account has logged in,
    ///     its calls continue, and their work waits for a login.
    ///   - note: The comment of the caller.
    ///   - origin: The caller.
    /// - Returns: The record of the answer.
    /// - Throws: The session sees no such question, or it has ended.
    public func answer(
        _ id: QuestionID, value: Bool, note: OpaqueText? = nil, origin: Origin?
    ) throws(EngineRefusal) -> SequenceNumber {
        let question = writer.queue.openQuestion(id)
        let context = writer.context(origin)
        let repeated = try decide(id, value, note, context, &writer.events)
        if let repeated { return repeated }
        let closing = writer.events.lastIndex { event in
            guard case .questionClosed(let closing) = event else { return false }
            return closing.id == id
        }
        let sequence = writer.recordEvents(origin: origin, time: context.now, own: closing)
        if let origin { answers.add(id, value, by: origin.connection, sequence) }
        if let question { login.resumeCallers(of: question, value) }
        return sequence
    }

    /// Checks whether an answer would be accepted now; changes nothing.
    ///
    /// - Throws: The refusal of the answer.
    public func check(
        _ id: QuestionID, value: Bool, origin: Origin?
    ) throws(EngineRefusal) {
        var draft: [Event] = []
        _ = try decide(id, value, nil, writer.context(origin), &draft)
    }

    /// Decides about an answer.
    ///
    /// - Returns: The record of the same answer, if the same connection gave it before.
    private func decide(
        _ id: QuestionID, _ value: Bool, _ note: OpaqueText?, _ context: DecisionContext,
        _ events: inout [Event]
    ) throws(EngineRefusal) -> SequenceNumber? {
        // A login within this turn was the first answer.
        if writer.queue.openQuestion(id)?.kind == .login, writer.queue.session != nil {
            throw .refused(.questionClosed(id))
        }
        do throws(Refusal) {
            try writer.queue.decideAnswer(id, value, note: note, context, events: &events)
            return nil
        } catch {
            if case .questionClosed = error, let origin = context.origin,
                let sequence = answers.sequence(of: id, value, by: origin.connection)
            {
                return sequence
            }
            throw .refused(error)
        }
    }

    /// Ends a question whose deadline has come.
    func timeOut(_ id: QuestionID) {
        clocks.timeIsUp(id)
        guard let question = writer.queue.openQuestion(id) else { return }
        // A login closes the login question when the turn ends.
        if question.kind == .login, writer.queue.session != nil { return }
        writer.write { queue, context, events in
            queue.decideTimeOut(id, context, events: &events)
        }
        login.resumeCallers(of: question, question.fallback)
    }

    /// Keeps payment questions open from now on when their agents disconnect. A stop closes the agents'
    /// connections, and the next start waits for the agents to reconnect.
    public func prepareStop() { isStopping = true }

    /// Keeps payment questions open although their last agent was unsubscribed just now: the node of the agent
    /// stops or was cut off. The agent can come back at another node until the questions time out.
    public func agentsWereCutOff() { hadPaymentAgent = false }

    /// Asks the next agent, because the turn of the previous one has ended without an answer.
    func endTurn(of id: QuestionID) {
        clocks.endTurn(of: id)
        writer.scheduleTurnEnd()
    }

    /// Ends and opens questions according to the session and the agents at the end of a turn.
    func review() {
        clocks.reviewAgents()
        login.settle()
        let hasPaymentAgent = writer.queue.activeObservers.hasPaymentAgent
        if hasPaymentAgent {
            unaskedAfter = nil
        } else if hadPaymentAgent, !isStopping {
            unaskedAfter = 0
        }
        hadPaymentAgent = hasPaymentAgent
        endUnasked()
        guard reviewedChanges != writer.sessionChanges else { return }
        reviewedChanges = writer.sessionChanges
        writer.write { queue, context, events in queue.decideReview(context, events: &events) }
        login.refuseHidden()
        clocks.review()
    }

    /// Ends payment questions because the last agent for them has left, for at most one slice.
    /// Questions that a change of session hides meanwhile end later, by their timeouts.
    private func endUnasked() {
        guard let first = unaskedAfter else { return }
        let end = writer.loop.now + Turn.slice
        var next: SequenceNumber? = first
        while let position = next, writer.loop.now < end {
            next = writer.write { queue, context, events in
                queue.decidePaymentAgentGone(
                    after: position, limit: Self.endsAtOnce, context, events: &events)
            }
        }
        unaskedAfter = next
        if next != nil { writer.scheduleTurnEndAfterInput() }
    }

    /// Ends the questions that are void because the last process has ended. Called before any request
    /// to the store.
    func reviewAfterStart() {
        clocks.restart()
        writer.write { queue, context, events in
            queue.decideReview(context, afterStart: true, events: &events)
        }
        clocks.review()
    }
}
