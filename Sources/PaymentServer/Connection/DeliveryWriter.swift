import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// Writes deliveries as lines. The part that several subscribers share is written once and copied.
final class DeliveryWriter {
    private let engine: PaymentEngine
    /// The maximum size of the kept tails, in bytes. The records of one turn seldom need as much. A
    /// reader of an old log does, but no other subscriber needs its tails.
    private static let keptBytes = 1 << 20

    private var tails: [SequenceNumber: [UInt8]] = [:]
    private var tailBytes = 0
    private var turn: UInt64 = 0

    init(engine: PaymentEngine) {
        self.engine = engine
    }

    /// Ends subscriptions, and adds a notice for each. The notices follow the replies that are held up.
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

    /// Appends a delivery to the output of a subscriber. A client of another node receives its events
    /// from that node instead.
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
            } else if engine.subscriptions.all.count > 1 {
                writer.raw(tail(of: record))
            } else {
                writeTail(of: record, into: &writer)
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

    /// Notifies the node of a remote agent that the agent's turn at a question has come.
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

    /// The part of a record's line that is equal for all subscribers. It contains the condition that
    /// the transaction waits for at this time, so it is kept only for the turn in which it was written.
    private func tail(of record: Record) -> [UInt8] {
        if turn != engine.turns || tailBytes > Self.keptBytes {
            tails.removeAll(keepingCapacity: true)
            tailBytes = 0
            turn = engine.turns
        }
        if let tail = tails[record.sequence] { return tail }
        var writer = JSONWriter(capacity: 1024)
        writeTail(of: record, into: &writer)
        tails[record.sequence] = writer.bytes
        tailBytes += writer.bytes.count
        return writer.bytes
    }

    private func writeTail(of record: Record, into writer: inout JSONWriter) {
        writer.eventTail(
            record, waitingFor: engine.waitingFor(record),
            deadline: engine.questions.deadline(of: record))
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
