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
        clocks.deadline(of: question)
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

    /// Settles what the turn has changed for questions, by what is true at its end: session, agents.
    func reviewQuestions() {
        settleLogin()
        let hasPaymentAgent = queue.activeObservers.hasPaymentAgent
        guard pipeline.running.changesSession || hadPaymentAgent != hasPaymentAgent else { return }
        let context = context(nil)
        if hadPaymentAgent, !hasPaymentAgent {
            queue.decidePaymentAgentGone(context, events: &events)
            recordEvents(origin: nil, time: context.now)
        }
        hadPaymentAgent = hasPaymentAgent
        queue.decideReview(context, events: &events)
        recordEvents(origin: nil, time: context.now)
        dropHiddenAfterLogin()
        clocks.review()
    }

    /// Puts right what the end of the process before cut off, before anything is asked of the store.
    func reviewAfterStart() {
        let context = context(nil)
        queue.decideReview(context, afterStart: true, events: &events)
        recordEvents(origin: nil, time: context.now)
        clocks.review()
    }

    func timeOut(_ id: QuestionID) {
        clocks.stop(id)
        guard !hasFailed, !hasStopped, let question = queue.openQuestion(id) else { return }
        // Somebody has logged in within this turn; its end decides.
        if question.kind == .login, queue.session != nil { return }
        let context = context(nil)
        queue.decideTimeOut(id, context, events: &events)
        recordEvents(origin: nil, time: context.now)
        callersHear(of: question, question.fallback)
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
struct RecentAnswers {
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
