public import PaymentCore

/// A request to subscribe.
public struct SubscriptionRequest: Sendable {
    /// The policy for records that were trimmed before the subscriber read them.
    public enum GapPolicy: Sendable, Hashable {
        /// The subscriber receives the gap, and then everything unfinished again.
        case snapshot
        /// The subscription ends.
        case end
    }

    /// The cursor: the first record sent is the one after it. Nil begins now, with a redelivery of
    /// everything unfinished.
    public var after: SequenceNumber?
    /// The kinds to send; nil for all.
    public var kinds: Set<EventKind>?
    /// The products whose transactions to send; nil for all.
    public var products: Set<ProductIdentifier>?
    /// Whether it only watches: orders do not start for it.
    public var isPassive: Bool
    /// The interval of heartbeats, which report the scanned position; nil for none.
    public var heartbeat: Duration?
    /// The policy for trimmed records.
    public var onGap: GapPolicy
    /// The name of a durable observer, which begins at what it acknowledged last.
    public var name: OpaqueText?
    /// The questions that the subscriber can put to a person.
    public var agents: Set<AgentKind>
    /// Whether its peer may answer questions: a question counts as asked once it reached such a peer.
    public var mayAnswer: Bool

    /// Creates a request.
    public init(
        after: SequenceNumber? = nil, kinds: Set<EventKind>? = nil,
        products: Set<ProductIdentifier>? = nil, isPassive: Bool = false,
        heartbeat: Duration? = nil, onGap: GapPolicy = .snapshot, name: OpaqueText? = nil,
        agents: Set<AgentKind> = [], mayAnswer: Bool = false
    ) {
        self.name = name
        self.agents = agents
        self.mayAnswer = mayAnswer
        self.after = after
        self.kinds = kinds
        self.products = products
        self.isPassive = isPassive
        self.heartbeat = heartbeat
        self.onGap = onGap
    }

    /// Whether it handles transactions, so that orders start for it.
    public var observes: Bool {
        !isPassive && (kinds?.contains(.transactionsUpdated) ?? true)
    }

    /// Whether its presence affects others: orders start for it, questions wait for it, or it has a
    /// name.
    public var counts: Bool {
        let isAsked = mayAnswer && (kinds?.contains(.questionOpened) ?? true)
        return observes || isAsked || !agents.isEmpty || name != nil
    }
}

/// The questions that a subscriber can put to a person.
public enum AgentKind: String, Sendable, Hashable, CaseIterable {
    /// To log in.
    case login
    /// To confirm a charge.
    case payment
}

extension Question.Kind {
    /// The agents that are asked questions of this kind, in turn; nil if any client may be shown them.
    var agent: AgentKind? {
        switch self {
        case .login: .login
        case .payment: .payment
        case .shouldContinue, .afterLogin: nil
        }
    }
}
