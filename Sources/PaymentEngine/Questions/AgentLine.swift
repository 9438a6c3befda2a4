import DequeModule
import PaymentCore

/// A subscription that is asked questions, and its turns so far.
final class Agent {
    let subscription: Subscription
    /// The kinds of questions at the last review.
    var kinds: Set<AgentKind>
    /// The number of its last turn among those of all agents; 0 before the first.
    var lastTurn: UInt64 = 0
    /// Whether its last turn ended without an answer.
    var wasSilent = false
    /// The questions at which its turn came after it had already read past their records.
    var unshown: Deque<QuestionID> = []

    init(_ subscription: Subscription) {
        self.subscription = subscription
        kinds = subscription.request.agents
    }

    var number: UInt64 { subscription.number }
}

/// The turns of the agents at one question.
///
/// Each agent has one turn at most, and users take turns: the first agent of each user comes before the
/// second one of any. Among agents of the same place, one whose last turn ended without an answer comes
/// after the others. Then the one comes first whose last turn was longest ago, then the oldest
/// subscription.
struct AgentLine {
    /// The turn of an agent.
    struct Turn {
        /// The number of its subscription.
        let agent: UInt64
        /// Its end, by the clock of the loop.
        var end: Duration
        /// Whether the question was sent to the agent.
        var isShown = false
    }

    /// The running turn; nil if no agent is left that has not had a turn.
    var turn: Turn?
    private var asked: Set<UInt64> = []
    private var turnsOfUser: [UInt32: Int] = [:]

    /// Whether no agent had a turn yet.
    var isUntouched: Bool { asked.isEmpty }

    /// The agents that had no turn yet.
    func waiting(of agents: [Agent]) -> [Agent] {
        agents.filter { !asked.contains($0.number) }
    }

    /// The agent whose turn is next; nil if none waits.
    func next(of waiting: [Agent]) -> Agent? {
        waiting.min { place(of: $0) < place(of: $1) }
    }

    private func place(of agent: Agent) -> (Int, Int, UInt64, UInt64) {
        let turns = turnsOfUser[agent.subscription.target.user, default: 0]
        return (turns, agent.wasSilent ? 1 : 0, agent.lastTurn, agent.number)
    }

    /// The number of equal parts of the remaining time, of which the running turn gets one. The user of
    /// the turn and each waiting user have the same time, and the agents of one user share its time.
    func parts(of waiting: [Agent], _ all: [Agent]) -> Int {
        let user = all.first { $0.number == turn?.agent }?.subscription.target.user
        let users = Set(waiting.map(\.subscription.target.user)).union(user.map { [$0] } ?? [])
        return users.count * (waiting.count { $0.subscription.target.user == user } + 1)
    }

    /// Begins the turn of an agent.
    mutating func begin(_ agent: Agent, until end: Duration) {
        asked.insert(agent.number)
        turnsOfUser[agent.subscription.target.user, default: 0] += 1
        turn = Turn(agent: agent.number, end: end)
    }
}
