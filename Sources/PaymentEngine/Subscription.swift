public import PaymentCore

/// A request to subscribe.
public struct SubscriptionRequest: Sendable {
    /// The policy for records that were trimmed before the subscriber read them.
    public enum GapPolicy: Sendable, Hashable {
        /// It is told of the gap and gets everything unfinished again.
        case snapshot
        /// The subscription ends.
        case end
    }

    /// Where to begin: the first record sent is the one behind it. Nil for "from now, with
    /// everything that is unfinished first".
    public var after: SequenceNumber?
    /// The kinds to send; nil for all.
    public var kinds: Set<EventKind>?
    /// The products whose transactions to send; nil for all.
    public var products: Set<ProductIdentifier>?
    /// Watches without counting as somebody who is there to handle transactions.
    public var isPassive: Bool
    /// How often to say how far the log was scanned.
    public var heartbeat: Duration?
    /// The policy for trimmed records.
    public var onGap: GapPolicy
    /// The name of a durable observer, which begins at what it acknowledged last.
    public var name: OpaqueText?
    /// The questions that the subscriber can put to a person.
    public var agents: Set<AgentKind>
    /// Whether its peer may answer questions: a question counts as asked when it reached one.
    public var mayAnswer: Bool

    /// Makes a request.
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
}

/// The questions that a subscriber can put to a person.
public enum AgentKind: String, Sendable, Hashable, CaseIterable {
    /// To log in.
    case login
    /// To confirm a charge.
    case payment
}

/// One thing to be written to a subscriber.
public enum Delivery: Sendable {
    /// A record; `previous` is the sequence number of what was sent before it.
    case record(Record, previous: SequenceNumber)
    /// Unfinished transactions that the subscriber may have missed, true as of `position`.
    case redelivery([Transaction], position: SequenceNumber)
    /// An open question that the subscriber may have missed, true as of `position`.
    case question(OpenQuestion, position: SequenceNumber)
    /// Everything up to `position` was sent; live records follow.
    case caughtUp(position: SequenceNumber)
    /// The log was scanned up to `position`.
    case heartbeat(position: SequenceNumber)
    /// The records `from...to` are gone. Those behind them that are kept follow, then a redelivery.
    case gap(from: SequenceNumber, to: SequenceNumber)
    /// The subscription ended; nothing follows.
    case ended(last: SequenceNumber, reason: SubscriptionEnd)
}

/// Why a subscription ended from this side.
public enum SubscriptionEnd: Sendable, Hashable {
    /// Records were trimmed before it had read them, and it wanted no gap.
    case trimmed
    /// Its records cannot be read.
    case unreadable
    /// Its peer may not watch any more.
    case roleWithdrawn
}

/// The connection of a subscriber, as the engine sees it.
public protocol SubscriptionSink: AnyObject {
    /// Whether it has room for more; while it has not, nothing is delivered and the subscription
    /// keeps its place in the log instead.
    var hasRoom: Bool { get }

    /// Appends a delivery to the output, in order. It is flushed by ``flushDeliveries()``.
    func deliver(_ delivery: Delivery, to subscription: Subscription)

    /// Sends what was delivered since the last flush.
    func flushDeliveries()
}

/// One subscription: a place in the log and what is still to be sent before it is live.
///
/// Owned by the engine; its connection only keeps it to tell subscriptions apart.
///
/// Proof: touched on the engine's loop only; timers name it, which is why it has to be Sendable.
public final class Subscription: @unchecked Sendable {
    /// Where a subscription stands between the log and live records.
    enum Phase {
        /// Sends records from the log up to its head, then redelivers.
        case replaying
        /// Sends what is unfinished behind a position of the queue and has no event behind
        /// `baseline`, because those are sent as records.
        case redelivering(position: UInt64)
        /// Sends records as they come.
        case live
    }

    /// Names it on the wire, unique within the daemon's life.
    public let number: UInt64
    /// The subscriber's request.
    public internal(set) var request: SubscriptionRequest
    /// The questions that its peer has offered to put to a person, whether it may now or not.
    let offered: Set<AgentKind>
    /// How far the log was scanned.
    public internal(set) var scanned: SequenceNumber
    /// The sequence number of the last record sent, or where the subscription began.
    public internal(set) var previous: SequenceNumber
    /// Whether it was closed; nothing is sent any more.
    public internal(set) var isEnded = false

    /// Where deliveries go.
    public let sink: any SubscriptionSink
    /// The last record when it was made; what is behind it happens before its eyes.
    let began: SequenceNumber
    /// The turn that it was made in, which its reply waits for.
    let turn: UInt64
    var phase = Phase.replaying
    var baseline: SequenceNumber
    var skipsRedelivery: Bool
    /// The record of the last open question that was shown again.
    var questionsShown: SequenceNumber = 0
    var heartbeatTimer: (any EngineTimer)?
    /// Whether it waits for its turn to catch up.
    var isLinedUp = false
    /// When it was told anything last; kept up only if it asked for heartbeats.
    var lastTold = Duration.zero

    init(
        number: UInt64, request: SubscriptionRequest, head: SequenceNumber, turn: UInt64,
        sink: any SubscriptionSink
    ) {
        self.number = number
        self.request = request
        offered = request.agents
        self.sink = sink
        self.turn = turn
        began = head
        scanned = request.after ?? head
        previous = request.after ?? head
        baseline = request.after ?? head
        skipsRedelivery = request.isPassive && request.after != nil
    }

    /// Whether it has been told everything that was there already.
    var isLive: Bool {
        if case .live = phase { true } else { false }
    }

    /// Whether the subscriber wants a record of this kind. A filter on products lets everything pass
    /// that is about no product.
    func admits(_ kind: EventKind, _ record: Record) -> Bool {
        switch record.event {
        case .questionOpened(let question): return admits(question)
        case .questionClosed where !request.agents.isEmpty: return true
        default: break
        }
        if let kinds = request.kinds, !kinds.contains(kind) { return false }
        guard let products = request.products else { return true }
        switch record.event {
        case .transaction(_, let transaction): return admits(transaction)
        case .entitlementsRevoked(let revocation):
            return revocation.products.contains(where: products.contains)
        default: return true
        }
    }

    /// Whether the subscriber wants a question. An agent gets every one: what it was not told it
    /// could not do, and it is counted on.
    func admits(_ question: Question) -> Bool {
        if !request.agents.isEmpty { return true }
        if let kinds = request.kinds, !kinds.contains(.questionOpened) { return false }
        guard let products = request.products, let product = question.product?.product else {
            return true
        }
        return products.contains(product.productIdentifier)
    }

    /// Whether the subscriber wants transactions for the product of this one.
    func admits(_ transaction: Transaction) -> Bool {
        let product = transaction.payment.product.product.productIdentifier
        return request.products?.contains(product) ?? true
    }

    /// Whether it makes the queue move: somebody is there to handle transactions.
    var observes: Bool {
        !request.isPassive && (request.kinds?.contains(.transactionsUpdated) ?? true)
    }
}
