public import PaymentCore

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
    /// The records `range` are gone. Those behind them that are kept follow, then a redelivery.
    case gap(ClosedRange<SequenceNumber>, because: GapCause)
    /// The subscription ended; nothing follows.
    case ended(last: SequenceNumber, reason: SubscriptionEnd)
}

/// Why records are missing.
public enum GapCause: Sendable, Hashable {
    /// Retention trimmed them.
    case trimmed
    /// The file that has them is damaged.
    case damaged
}

/// Why a subscription ended from this side.
public enum SubscriptionEnd: Sendable, Hashable {
    /// Records were trimmed before it had read them, and it wanted no gap.
    case trimmed
    /// Its records cannot be read, and either it wanted no gap or those behind them cannot be read.
    case unreadable
    /// Its peer may not watch any more.
    case roleWithdrawn
}

/// The connection of a subscriber, as the engine sees it.
public protocol DeliveryTarget: AnyObject {
    /// The user of the peer: reading for it is charged to that user, and users take turns at questions.
    var user: UInt32 { get }

    /// Whether it has room for more; while it has not, nothing is delivered and the subscription
    /// keeps its place in the log instead.
    var hasRoom: Bool { get }

    /// Appends a delivery to the output, in order. It is flushed by ``flushDeliveries()``.
    func deliver(_ delivery: Delivery, to subscription: Subscription)

    /// Sends what was delivered since the last flush.
    func flushDeliveries()

    /// A subscription has lost its name. Another process must not continue it with the name.
    func nameWasReleased()
}

extension DeliveryTarget {
    /// The superuser, for targets that belong to no peer.
    public var user: UInt32 { 0 }

    /// Does nothing, for targets that do not outlive the process.
    public func nameWasReleased() {}
}

/// One subscription: a place in the log and what is still to be sent before it is live.
///
/// Owned by the engine; its connection only keeps it to tell subscriptions apart.
public final class Subscription {
    /// The way of a subscription from the log to live records.
    enum Phase {
        /// Sends records from the log up to its head, then redelivers.
        case replaying
        /// Sends unfinished transactions behind a position of the queue, except those with an event
        /// behind `baseline`, which are sent as records behind them.
        case redelivering(position: UInt64)
        /// Sends records as they are committed.
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
    public let target: any DeliveryTarget
    /// The last record when the subscription was made; it is live through all behind that.
    let began: SequenceNumber
    /// The turn that it was made in, which its reply waits for.
    let turn: UInt64
    var phase = Phase.replaying
    var baseline: SequenceNumber
    var skipsRedelivery: Bool
    /// The record of the last open question that was shown again.
    var questionsShown: SequenceNumber = 0
    /// Whether it is in the catch-up queue.
    var isQueued = false
    /// The time of the last delivery; kept only if it asked for heartbeats.
    var lastDelivery = Duration.zero

    init(
        number: UInt64, request: SubscriptionRequest, head: SequenceNumber, turn: UInt64,
        target: any DeliveryTarget
    ) {
        self.number = number
        self.request = request
        offered = request.agents
        self.target = target
        self.turn = turn
        began = head
        scanned = request.after ?? head
        previous = request.after ?? head
        baseline = request.after ?? head
        skipsRedelivery = request.isPassive && request.after != nil
        if request.after == nil { phase = .redelivering(position: 0) }
    }

    /// Whether it has caught up with the log.
    var isLive: Bool {
        if case .live = phase { true } else { false }
    }

    /// Has unfinished transactions and open questions redelivered, except those with a record behind a
    /// position, which are sent as records.
    func redeliver(from position: SequenceNumber) {
        baseline = position
        skipsRedelivery = false
        questionsShown = 0
        phase = .redelivering(position: 0)
    }

    /// Has every open question redelivered, then `caughtUp`: some were not shown while the peer could
    /// not answer them. A subscription that reads the log still comes to them by itself.
    ///
    /// - Returns: Whether there is something to redeliver now.
    func showQuestionsAgain() -> Bool {
        switch phase {
        case .replaying: return false
        case .redelivering: break
        case .live:
            // No transaction has a place behind this one.
            phase = .redelivering(position: .max)
            baseline = scanned
        }
        questionsShown = 0
        return true
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
        case .transaction(_, let transaction): return admits(transaction.payment.product)
        case .entitlementsRevoked(let revocation):
            return revocation.products.isEmpty
                || revocation.products.contains(where: products.contains)
        default: return true
        }
    }

    /// Whether the subscriber wants a question if it is not asked it as an agent. An agent wants every
    /// one, because payments wait for it.
    func admits(_ question: Question) -> Bool {
        if !request.agents.isEmpty { return true }
        if let kinds = request.kinds, !kinds.contains(.questionOpened) { return false }
        guard let products = request.products, let product = question.product?.product else {
            return true
        }
        return products.contains(product.productIdentifier)
    }

    /// Whether the subscriber wants transactions for a product.
    func admits(_ product: RecordedProduct) -> Bool {
        request.products?.contains(product.product.productIdentifier) ?? true
    }

    /// Whether orders start for it: it handles transactions.
    var observes: Bool { request.observes }

    /// Whether a question is asked of agents, and it is one for its kind.
    public func isAgent(at question: Question) -> Bool { isAgent(for: question.kind) }

    /// Whether it is asked questions of a kind when its turn comes.
    func isAgent(for kind: Question.Kind) -> Bool {
        kind.agent.map(request.agents.contains) ?? false
    }
}
