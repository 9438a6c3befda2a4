import JSONRPC
public import PaymentCore
public import StrictJSON

/// Events on the wire. The members that differ between subscribers come first, so that the tail is
/// written once for all of them.
extension JSONWriter {
    /// Appends the beginning of an event line, including the comma before the shared tail.
    ///
    /// - Parameters:
    ///   - subscription: The subscription of the recipient.
    ///   - previous: The last sequence number sent on it, or its start position.
    public mutating func eventHead(subscription: SubscriptionID, previous: SequenceNumber) {
        beginNotification("event")
        onStack { text in
            text.literal("{\"subscription\":\"s")
            text.decimal(UInt64(subscription.number))
            text.literal("\",\"prev\":")
            text.decimal(previous)
            text.literal(",")
        }
    }

    /// Appends the rest of an event line with its line feed. The bytes are the same for all
    /// subscribers.
    ///
    /// - Parameters:
    ///   - record: A record that is an event by ``EventKind/init(of:)``.
    ///   - waitingFor: The current waiting condition of its transaction.
    ///   - deadline: The current deadline of its question, or the end of the turn of the agent that
    ///     receives it; nil until the question has reached an agent.
    ///   - isRedelivery: True if the event is a redelivery.
    public mutating func eventTail(
        _ record: Record, waitingFor: WaitingFor?, deadline: Timestamp? = nil,
        isRedelivery: Bool = false
    ) {
        eventMembers(record, waitingFor: waitingFor, deadline: deadline, isRedelivery: isRedelivery)
        raw("}}\n")
    }

    /// Appends an event in the form of the method `events`: without subscription and `prev`.
    public mutating func listedEvent(
        _ record: Record, waitingFor: WaitingFor?, deadline: Timestamp? = nil
    ) {
        raw("{")
        eventMembers(record, waitingFor: waitingFor, deadline: deadline)
        raw("}")
    }

    private mutating func eventMembers(
        _ record: Record, waitingFor: WaitingFor?, deadline: Timestamp?,
        isRedelivery: Bool = false
    ) {
        guard let kind = EventKind(of: record.event) else {
            preconditionFailure("record \(record.sequence) is not an event")
        }
        onStack { text in
            text.literal("\"seq\":")
            text.decimal(record.sequence)
            text.literal(",\"kind\":")
            text.string(kind.rawValue)
            text.literal(",\"time\":")
            text.time(record.time)
            if isRedelivery { text.literal(",\"redelivery\":true") }
        }
        if case .transaction(let change, let transaction) = record.event {
            onStack {
                $0.transactionBody(change, transaction, record.origin, waitingFor: waitingFor)
            }
        } else {
            otherBody(record, deadline: deadline)
        }
        if let trace = record.origin?.trace {
            raw(",\"trace\":")
            string(trace.string)
        }
    }
}

extension StackText {
    fileprivate mutating func transactionBody(
        _ change: TransactionChange, _ transaction: Transaction, _ cause: Origin?,
        waitingFor: WaitingFor?
    ) {
        // A restore included this unfinished transaction: it is sent again without a change.
        if change == .redelivered { literal(",\"redelivery\":true") }
        literal(",\"transactions\":[")
        guard case .removed(let reason) = change else {
            self.transaction(transaction, waitingFor: waitingFor)
            return literal("]")
        }
        self.transaction(transaction, waitingFor: nil)
        literal("],\"reason\":")
        string(reason.rawValue)
        guard let cause else { return }
        literal(",\"by\":")
        origin(cause)
    }
}

/// Redeliveries: unfinished transactions in batches of limited size, each an event line.
extension JSONWriter {
    /// Begins a batch. `seq` and `prev` are both the position that it reflects.
    public mutating func beginRedelivery(
        subscription: SubscriptionID, position: SequenceNumber, time: Timestamp
    ) {
        eventHead(subscription: subscription, previous: position)
        raw("\"seq\":")
        integer(position)
        raw(",\"kind\":\"transactionsUpdated\",\"time\":")
        self.time(time)
        raw(",\"redelivery\":true,\"transactions\":[")
    }

    /// Appends a transaction to the batch.
    public mutating func redelivered(_ transaction: Transaction, waitingFor: WaitingFor?) {
        element()
        self.transaction(transaction, waitingFor: waitingFor)
    }

    /// Ends the batch and its line.
    public mutating func endRedelivery() {
        raw("]}}\n")
    }
}
