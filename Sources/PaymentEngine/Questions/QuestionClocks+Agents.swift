import DequeModule
import PaymentCore

/// The turns of the agents. A turn ends with an answer, at the end of its time, or when the agent
/// disconnects. Then the next agent has its turn. A client that may answer may do so at any time, also
/// after its turn.
extension QuestionClocks {
    /// Whether it is the turn of a subscription at a question; nil if the subscription is no agent for it,
    /// or the question has ended.
    func isTurn(of subscription: Subscription, at question: Question) -> Bool? {
        guard subscription.isAgent(for: question.kind) else { return nil }
        // In a cluster, the owner of the log assigns the turns.
        if writer.isReadOnly { return writer.queue.openQuestion(question.id) == nil ? nil : false }
        guard let line = clocks[question.id]?.line else { return nil }
        return line.turn?.agent == subscription.number
    }

    /// The deadline of a question for a subscriber: for the agent whose turn it is, the end of its turn.
    func deadline(of question: Question, for subscription: Subscription) -> Timestamp? {
        guard let clock = clocks[question.id] else { return nil }
        guard let turn = clock.line?.turn, turn.agent == subscription.number else {
            return clock.deadline
        }
        let rest = (clock.end - turn.end).wholeMilliseconds
        return Timestamp(milliseconds: clock.deadline.milliseconds - rest)
    }

    // MARK: Agents

    /// Updates the agents from the live subscriptions. The turns are arranged at the end of the engine's
    /// turn.
    func agentsChanged(_ all: [Subscription]) {
        let former = agents
        agents = [:]
        for subscription in all where !subscription.request.agents.isEmpty {
            let known = former[subscription.number]
            let agent = known ?? Agent(subscription)
            if known == nil || agent.kinds != subscription.request.agents {
                haveAgentsChanged = true
            }
            agent.kinds = subscription.request.agents
            agents[subscription.number] = agent
        }
        if agents.count != former.count { haveAgentsChanged = true }
    }

    /// Arranges the turns at all questions again if an agent has come or gone. One turn of the engine
    /// handles as many questions as its time permits, and the next turn continues. If agents change
    /// meanwhile, a whole round begins at the reached position.
    func reviewAgents() {
        if haveAgentsChanged {
            haveAgentsChanged = false
            arranging = Arranging(from: arranging?.position ?? 0)
        }
        guard var round = arranging else { return }
        let end = writer.loop.now + Turn.slice
        while !round.isOver, writer.loop.now < end {
            arrange(&round)
        }
        arranging = round.isOver ? nil : round
        if arranging != nil { writer.scheduleTurnEndAfterInput() }
    }

    /// Arranges the turns at a few questions.
    private func arrange(_ round: inout Arranging) {
        var some: [(question: Question, opened: SequenceNumber)] = []
        writer.queue.forEachVisibleQuestion(after: round.position) { question, opened in
            some.append((question, opened))
            return some.count < Arranging.atOnce
        }
        for (question, opened) in some where round.takes(opened) {
            if clocks[question.id]?.line != nil { arrangeTurns(at: question) }
        }
        if some.count < Arranging.atOnce { round.reachedEnd() }
    }

    /// Ends a turn without an answer, if another agent waits.
    func endTurn(of id: QuestionID) {
        guard let question = writer.queue.openQuestion(id),
            clocks[id]?.line?.waiting(of: able(toAsk: question)).isEmpty == false
        else { return }
        turnAgent(of: id)?.wasSilent = true
        clocks[id]?.line?.turn = nil
        arrangeTurns(at: question)
    }

    /// The agent whose turn it is.
    func turnAgent(of id: QuestionID) -> Agent? {
        (clocks[id]?.line?.turn?.agent).flatMap { agents[$0] }
    }

    /// Begins the next turn unless one is running. The remaining time is divided among the users, and the
    /// part of one user among its agents. A running turn is not extended while others wait. The last
    /// agent has all the remaining time.
    func arrangeTurns(at question: Question) {
        guard var clock = clocks[question.id], var line = clock.line else { return }
        let able = able(toAsk: question)
        if let turn = line.turn, !able.contains(where: { $0.number == turn.agent }) {
            line.turn = nil
        }
        var waiting = line.waiting(of: able)
        if line.turn == nil, let agent = line.next(of: waiting) {
            // The time before the first agent connected does not count.
            if line.isUntouched, clock.end - writer.loop.now < .milliseconds(question.patienceMs) {
                clock = self.clock(of: question)
            }
            line.begin(agent, until: clock.end)
            waiting.removeAll { $0 === agent }
            call(agent, to: question)
        }
        if waiting.isEmpty || line.turn == nil {
            line.turn?.end = clock.end
            deadlines.cancel(.agentTurn(question.id))
        } else if let end = line.turn?.end {
            let rest = (clock.end - writer.loop.now) / line.parts(of: waiting, able)
            let sooner = min(end, writer.loop.now + rest)
            line.turn?.end = sooner
            deadlines.set(.agentTurn(question.id), after: sooner - writer.loop.now)
        }
        clock.line = line
        clocks[question.id] = clock
    }

    private func able(toAsk question: Question) -> [Agent] {
        agents.values.filter { $0.subscription.isAgent(for: question.kind) }
    }

    // MARK: Questions that no record shows

    /// Notes an agent whose turn has come. If it has already read past the record of the question, the
    /// question must be sent to it separately.
    private func call(_ agent: Agent, to question: Question) {
        turns += 1
        agent.lastTurn = turns
        guard let opened = writer.queue.opening(of: question.id),
            opened <= agent.subscription.scanned
        else { return }
        agent.unshown.append(question.id)
        called.append(agent.subscription)
    }

    /// Returns and clears the agents that must receive a question separately.
    func takeCalled() -> [Subscription] {
        defer { called = [] }
        return called
    }

    /// Whether an agent must receive questions separately.
    func isCalled(_ subscription: Subscription) -> Bool {
        agents[subscription.number]?.unshown.isEmpty == false
    }

    /// Removes and returns the next question that an agent must receive separately: its turn is still
    /// running, and the question was not sent to it.
    func nextQuestion(for subscription: Subscription) -> Question? {
        guard let agent = agents[subscription.number] else { return nil }
        while let id = agent.unshown.popFirst() {
            guard let turn = clocks[id]?.line?.turn, turn.agent == agent.number, !turn.isShown,
                let question = writer.queue.openQuestion(id),
                subscription.isAgent(for: question.kind)
            else { continue }
            return question
        }
        return nil
    }
}

/// A round over all open questions that begins at any of them.
struct Arranging {
    /// The number of questions that are arranged before the clock is read again.
    static let atOnce = 16

    /// The record that opened the question that was arranged last; 0 for the beginning.
    private(set) var position: SequenceNumber
    /// Whether every question was arranged.
    private(set) var isOver = false
    /// The position where the round began.
    private let first: SequenceNumber
    private var hasPassedEnd = false

    init(from position: SequenceNumber) {
        self.position = position
        first = position
    }

    /// Moves on to a question.
    ///
    /// - Returns: Whether it belongs to the rest of the round.
    mutating func takes(_ opened: SequenceNumber) -> Bool {
        position = opened
        if hasPassedEnd, opened > first { isOver = true }
        return !isOver
    }

    /// No question is behind the position: the round continues at the first question, or is over.
    mutating func reachedEnd() {
        if hasPassedEnd || first == 0 { isOver = true }
        hasPassedEnd = true
        position = 0
    }
}
