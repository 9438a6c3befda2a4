import PaymentCore

/// The deadlines of open questions: at its deadline, silence is the answer.
///
/// A login or a payment is asked of a person who is there, so the time runs from the opening. The
/// delegate at a gate may come at any time; the time runs from the first delivery to one.
final class QuestionClocks {
    private struct Clock {
        var deadline: Timestamp
        /// Whether it runs from a delivery to a subscriber that may answer.
        var wasAsked: Bool
    }

    private let writer: QueueWriter
    private let deadlines: Deadlines
    private var clocks: [QuestionID: Clock] = [:]

    init(writer: QueueWriter, deadlines: Deadlines) {
        self.writer = writer
        self.deadlines = deadlines
    }

    /// The time at which silence is taken for an answer; nil while no clock runs.
    func deadline(of question: QuestionID) -> Timestamp? { clocks[question]?.deadline }

    /// Follows a record.
    func recorded(_ event: Event) {
        switch event {
        case .questionOpened(let question):
            if question.kind == .login || question.kind == .payment { start(question) }
        case .questionClosed(let closing): stop(closing.id)
        default: break
        }
    }

    /// Follows a question that is about to reach a subscriber.
    func isShown(_ question: Question, to subscription: Subscription) {
        guard question.kind != .login, subscription.isAsked(question.kind),
            clocks[question.id]?.wasAsked != true, writer.queue.openQuestion(question.id) != nil,
            writer.queue.isVisible(question)
        else { return }
        start(question, wasAsked: true)
    }

    /// Follows a change of session: clocks run for visible questions only. A payment agent that was
    /// lost with the process or the session has its time to come back.
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

    /// Forgets the clock of a question.
    func stop(_ id: QuestionID) {
        if clocks.removeValue(forKey: id) != nil { deadlines.cancel(.question(id)) }
    }

    private func start(_ question: Question, wasAsked: Bool = false) {
        let patience = question.patienceMs
        deadlines.set(.question(question.id), after: .milliseconds(patience))
        let deadline = Timestamp(milliseconds: writer.time.milliseconds + patience)
        clocks[question.id] = Clock(deadline: deadline, wasAsked: wasAsked)
    }
}
