import PaymentCore

/// The deadlines of open questions, and the turns of the agents at them. At its deadline, a question
/// ends with its fallback.
///
/// A login or payment question is asked of one agent at a time, and the agents share its time. The time
/// runs from the opening. If no agent was connected then, it starts again with the first turn.
///
/// Other questions may be answered at any time by every client that may answer. Their time runs from
/// the first delivery to such a client.
final class QuestionClocks {
    struct Clock {
        var deadline: Timestamp
        /// The deadline by the clock of the loop.
        var end: Duration
        /// Whether it runs from a delivery to a subscriber that may answer.
        var wasAsked: Bool
        /// The turns of the agents; nil if any client may answer.
        var line: AgentLine?
    }

    let writer: QueueWriter
    let deadlines: Deadlines
    var clocks: [QuestionID: Clock] = [:]
    /// The agents by the numbers of their subscriptions.
    var agents: [UInt64: Agent] = [:]
    /// Whether an agent came or went since the last review.
    var haveAgentsChanged = false
    /// The round in which turns are arranged again; nil if that is done.
    var arranging: Arranging?
    /// The agents with questions whose records they have already read past.
    var called: [Subscription] = []
    /// Turns begun so far.
    var turns: UInt64 = 0

    init(writer: QueueWriter, deadlines: Deadlines) {
        self.writer = writer
        self.deadlines = deadlines
    }

    /// The deadline of a question; nil while its clock does not run.
    func deadline(of question: QuestionID) -> Timestamp? { clocks[question]?.deadline }

    /// Starts or stops the clock of a question whose opening or end was recorded.
    func recorded(_ event: Event) {
        switch event {
        case .questionOpened(let question): if question.kind.agent != nil { start(question) }
        case .questionClosed(let closing):
            if closing.reason == .answered { turnAgent(of: closing.id)?.wasSilent = false }
            stop(closing.id)
        default: break
        }
    }

    /// Notes that a question is about to be sent to a subscriber.
    func isShown(_ question: Question, to subscription: Subscription) {
        guard question.kind.agent == nil else {
            if clocks[question.id]?.line?.turn?.agent == subscription.number {
                clocks[question.id]?.line?.turn?.isShown = true
            }
            return
        }
        guard subscription.request.mayAnswer, clocks[question.id]?.wasAsked != true,
            writer.queue.openQuestion(question.id) != nil, writer.queue.isVisible(question)
        else { return }
        start(question, wasAsked: true)
    }

    /// Adapts the clocks to a change of session: clocks run for visible questions only. A payment
    /// question whose agents disconnected with the process or the session gets its time again, so that
    /// they can reconnect.
    func review() {
        for id in Array(clocks.keys) {
            guard let question = writer.queue.openQuestion(id), writer.queue.isVisible(question)
            else {
                stop(id)
                continue
            }
        }
        for question in writer.queue.visibleQuestions where question.kind == .payment {
            startUnlessRunning(question)
        }
    }

    /// Starts the clock of a question that has none.
    func startUnlessRunning(_ question: Question) {
        if clocks[question.id] == nil { start(question) }
    }

    /// Forgets the clock of a question whose deadline has come.
    func timeIsUp(_ id: QuestionID) {
        turnAgent(of: id)?.wasSilent = true
        stop(id)
    }

    /// Starts the time of every question again. While nothing could be recorded, a passed deadline had
    /// no effect.
    func restart() {
        for (id, clock) in clocks {
            stop(id)
            guard let question = writer.queue.openQuestion(id) else { continue }
            start(question, wasAsked: clock.wasAsked)
        }
    }

    private func stop(_ id: QuestionID) {
        guard let clock = clocks.removeValue(forKey: id) else { return }
        deadlines.cancel(.question(id))
        if clock.line != nil { deadlines.cancel(.agentTurn(id)) }
    }

    private func start(_ question: Question, wasAsked: Bool = false) {
        clocks[question.id] = clock(of: question, wasAsked)
        if question.kind.agent != nil {
            clocks[question.id]?.line = AgentLine()
            arrangeTurns(at: question)
        }
    }

    /// A clock that begins now.
    func clock(of question: Question, _ wasAsked: Bool = false) -> Clock {
        let patience = question.patienceMs
        deadlines.set(.question(question.id), after: .milliseconds(patience))
        return Clock(
            deadline: Timestamp(milliseconds: writer.time.milliseconds + patience),
            end: writer.loop.now + .milliseconds(patience), wasAsked: wasAsked)
    }
}
