public import PaymentCore

/// An item that is sent to a subscriber.
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
    /// The records of the range are missing. The later records that are kept follow, then a
    /// redelivery.
    case gap(ClosedRange<SequenceNumber>, because: GapCause)
    /// The subscription ended; nothing follows.
    case ended(last: SequenceNumber, reason: SubscriptionEnd)
}

/// The reason why records are missing.
public enum GapCause: Sendable, Hashable {
    /// Retention trimmed them.
    case trimmed
    /// The file that has them is damaged.
    case damaged
}

/// The reason why the engine ended a subscription.
public enum SubscriptionEnd: Sendable, Hashable {
    /// Records were trimmed before the subscriber had read them, and its request permits no gap.
    case trimmed
    /// Records cannot be read, and the request permits no gap or the later records cannot be read
    /// either.
    case unreadable
    /// Its peer may not observe any more.
    case roleWithdrawn
}

/// The connection of a subscriber, as the engine sees it.
public protocol DeliveryTarget: AnyObject {
    /// The user of the peer: reading for it is charged to that user, and users take turns at questions.
    var user: UInt32 { get }

    /// Whether the output has room for more. Without room nothing is delivered, and the subscription
    /// keeps its place in the log.
    var hasRoom: Bool { get }

    /// Appends a delivery to the output, in order. It is flushed by ``flushDeliveries()``.
    func deliver(_ delivery: Delivery, to subscription: Subscription)

    /// Sends what was delivered since the last flush.
    func flushDeliveries()

    /// Notes that a subscription has lost its name. Another process must not continue it with the
    /// name.
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
/// The engine owns it. Its connection holds it only to identify the subscription.
public final class Subscription {
    /// The phases of a subscription from the log to live records.
    enum Phase {
        /// Sends records from the log up to its head, then redelivers.
        case replaying
        /// Sends unfinished transactions after a position in the order of acceptance. It omits those
        /// with an event after `baseline`, because that event is sent as a record later.
        case redelivering(position: UInt64)
        /// Sends records as they are committed.
        case live
    }

    /// The number of the subscription on the wire, unique within the daemon's life.
    public let number: UInt64
    /// The subscriber's request.
    public internal(set) var request: SubscriptionRequest
    /// The questions that its peer has offered to ask a person, whether the peer may do so now or
    /// not.
    let offered: Set<AgentKind>
    /// The position up to which the log was scanned.
    public internal(set) var scanned: SequenceNumber
    /// The sequence number of the last record sent, or where the subscription began.
    public internal(set) var previous: SequenceNumber
    /// Whether the subscription has ended; nothing more is sent.
    public internal(set) var isEnded = false

    /// The receiver of the deliveries.
    public let target: any DeliveryTarget
    /// The last record when the subscription began. For the subscription, all later records are live.
    let began: SequenceNumber
    /// The turn in which the subscription began. Deliveries wait for its commit, because the reply
    /// comes first.
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

    /// Starts a redelivery of unfinished transactions and open questions. It omits those with a
    /// record after a position, because that record is sent later.
    func redeliver(from position: SequenceNumber) {
        baseline = position
        skipsRedelivery = false
        questionsShown = 0
        phase = .redelivering(position: 0)
    }

    /// Starts a redelivery of every open question, then `caughtUp`, because some were omitted while
    /// the peer could not answer them. A subscription that still reads the log receives them without
    /// this.
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

    /// Whether the subscriber's filters admit a record of this kind. A product filter admits every
    /// record that concerns no product.
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

    /// Whether the subscriber's filters admit a question that is not asked of it as an agent. An
    /// agent receives every question, because payments wait for it.
    func admits(_ question: Question) -> Bool {
        if !request.agents.isEmpty { return true }
        if let kinds = request.kinds, !kinds.contains(.questionOpened) { return false }
        guard let products = request.products, let product = question.product?.product else {
            return true
        }
        return products.contains(product.productIdentifier)
    }

    /// Whether the product filter admits a product.
    func admits(_ product: RecordedProduct) -> Bool {
        request.products?.contains(product.product.productIdentifier) ?? true
    }

    /// Whether it handles transactions, so that orders start for it.
    var observes: Bool { request.observes }

    /// Whether the question is for agents, and this subscription is an agent of its kind.
    public func isAgent(at question: Question) -> Bool { isAgent(for: question.kind) }

    /// Whether it is asked questions of a kind when its turn comes.
    func isAgent(for kind: Question.Kind) -> Bool {
        kind.agent.map(request.agents.contains) ?? false
    }
}
