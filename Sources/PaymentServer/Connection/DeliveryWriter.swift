import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Writes deliveries as lines. The part that all subscribers share is written once and copied.
final class DeliveryWriter {
    private let engine: PaymentEngine
    /// The most bytes of tails that are kept. They have about the records that subscribers who are a little behind
    /// read again.
    private static let keptBytes = 1 << 20

    /// The part of an event that all subscribers share.
    private struct Tail {
        var bytes: [UInt8]
        var waitingFor: WaitingFor?
        var deadline: Timestamp?
        /// The turn in which these were compared with the queue last.
        var turn: UInt64
    }

    private var tails: [SequenceNumber: Tail] = [:]
    private var tailBytes = 0

    init(engine: PaymentEngine) {
        self.engine = engine
    }

    /// Ends subscriptions from this side. The notices follow the replies that are held up.
    func end(
        _ subscriptions: [Subscription], because reason: EndReason,
        into requests: inout RequestPipeline
    ) {
        for subscription in subscriptions {
            engine.subscriptions.unsubscribe(subscription)
            requests.deferNotice {
                $0.ended(
                    subscription: SubscriptionID(subscription.number), reason: reason,
                    last: subscription.previous)
            }
        }
    }

    /// Appends a delivery to the output of a subscriber. A client of another node gets its events there.
    func write(
        _ delivery: Delivery, to subscription: Subscription, _ caller: Caller? = nil,
        into writer: inout JSONWriter
    ) {
        guard caller?.isRemote != true else {
            return writeTurn(delivery, of: subscription, into: &writer)
        }
        let id = SubscriptionID(subscription.number)
        switch delivery {
        case .record(let record, let previous):
            writer.eventHead(subscription: id, previous: previous)
            if let end = engine.questions.endOfTurn(of: subscription, at: record) {
                writer.eventTail(record, waitingFor: nil, deadline: end)
            } else {
                writer.raw(tail(of: record))
            }
        case .redelivery(let transactions, let position):
            writer.beginRedelivery(
                subscription: id, position: position, time: engine.currentTime)
            for (index, transaction) in transactions.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.transaction(transaction, waitingFor: engine.queue.waitingFor(transaction))
            }
            writer.endRedelivery()
        case .question(let open, let position):
            writer.eventHead(subscription: id, previous: position)
            let record = Record(
                sequence: position, time: open.question.openedAt, origin: nil,
                event: .questionOpened(open.question))
            writer.eventTail(
                record, waitingFor: nil, deadline: open.deadline, isRedelivery: true)
        case .caughtUp(let position):
            writer.caughtUp(subscription: id, position: position)
        case .heartbeat(let position):
            writer.heartbeat(subscription: id, position: position)
        case .gap(let gap, let cause):
            writer.gap(
                subscription: id, from: gap.lowerBound, to: gap.upperBound,
                reason: cause == .trimmed ? .trimmed : .damaged)
        case .ended(let last, let reason):
            writer.ended(subscription: id, reason: EndReason(reason), last: last)
        }
    }

    /// Tells the node of a remote agent that it is the agent's turn at a question.
    private func writeTurn(
        _ delivery: Delivery, of subscription: Subscription, into writer: inout JSONWriter
    ) {
        let id = SubscriptionID(subscription.number)
        switch delivery {
        case .record(let record, _):
            guard case .questionOpened(let question) = record.event,
                let end = engine.questions.endOfTurn(of: subscription, at: record)
            else { return }
            writer.turn(of: id, at: question.id, until: end)
        case .question(let open, _):
            guard subscription.isAgent(at: open.question), let end = open.deadline else { return }
            writer.turn(of: id, at: open.question.id, until: end)
        case .redelivery, .caughtUp, .heartbeat, .gap, .ended: return
        }
    }

    /// The tail of a record, which later turns use again. The condition that a transaction waits for and the deadline
    /// of a question are those of the turn in which they are shown: a tail with others is written anew.
    private func tail(of record: Record) -> [UInt8] {
        let turn = engine.turns
        let former = tails[record.sequence]
        if let former, former.turn == turn { return former.bytes }
        let waitingFor = engine.waitingFor(record)
        let deadline = engine.questions.deadline(of: record)
        if let former, former.waitingFor == waitingFor, former.deadline == deadline {
            tails[record.sequence]?.turn = turn
            return former.bytes
        }
        if tailBytes > Self.keptBytes {
            tails.removeAll(keepingCapacity: true)
            tailBytes = 0
        }
        var writer = JSONWriter(capacity: 1024)
        writer.eventTail(record, waitingFor: waitingFor, deadline: deadline)
        tails[record.sequence] = Tail(
            bytes: writer.bytes, waitingFor: waitingFor, deadline: deadline, turn: turn)
        tailBytes += writer.bytes.count - (former?.bytes.count ?? 0)
        return writer.bytes
    }
}

extension EndReason {
    init(_ reason: SubscriptionEnd) {
        switch reason {
        case .trimmed: self = .trimmed
        case .unreadable: self = .unreadable
        case .roleWithdrawn: self = .roleWithdrawn
        }
    }
}
