import JSONRPC
public import PaymentCore
public import StrictJSON

/// Events on the wire. What differs from subscriber to subscriber comes first, so that the tail of
/// an event is written once and sent to all of them.
extension JSONWriter {
    /// The beginning of an event line, up to and with the comma before the shared tail.
    ///
    /// - Parameters:
    ///   - subscription: Who gets it.
    ///   - previous: The sequence number that was sent before on this subscription, or its start.
    public mutating func eventHead(subscription: SubscriptionID, previous: SequenceNumber) {
        beginNotification("event")
        raw("{\"subscription\":\"s")
        integer(subscription.number)
        raw("\",\"prev\":")
        integer(previous)
        raw(",")
    }

    /// The rest of an event line, with its line feed: the same bytes for every subscriber.
    ///
    /// - Parameters:
    ///   - record: A record that ``EventKind/init(of:)`` knows as an event.
    ///   - waitingFor: What its transaction waits for, as of when this is written.
    ///   - deadline: When silence answers its question, as of when this is written; nil while nobody
    ///     was asked who may answer.
    ///   - isRedelivery: Whether it is shown again, to somebody who was not there.
    public mutating func eventTail(
        _ record: Record, waitingFor: WaitingFor?, deadline: Timestamp? = nil,
        isRedelivery: Bool = false
    ) {
        eventMembers(record, waitingFor: waitingFor, deadline: deadline, isRedelivery: isRedelivery)
        raw("}}\n")
    }

    /// An event as the method `events` lists it: without subscription and `prev`.
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
        raw("\"seq\":")
        integer(record.sequence)
        raw(",\"kind\":")
        string(kind.rawValue)
        raw(",\"time\":")
        time(record.time)
        if isRedelivery { raw(",\"redelivery\":true") }
        if case .transaction(let change, let transaction) = record.event {
            transactionBody(change, transaction, record.origin, waitingFor: waitingFor)
        } else {
            otherBody(record, deadline: deadline)
        }
        if let trace = record.origin?.trace {
            raw(",\"trace\":")
            string(trace.string)
        }
    }

    private mutating func transactionBody(
        _ change: TransactionChange, _ transaction: Transaction, _ cause: Origin?,
        waitingFor: WaitingFor?
    ) {
        // A restore came upon it: nothing changed, it is shown again.
        if change == .redelivered { raw(",\"redelivery\":true") }
        raw(",\"transactions\":[")
        guard case .removed(let reason) = change else {
            self.transaction(transaction, waitingFor: waitingFor)
            return raw("]")
        }
        self.transaction(transaction, waitingFor: nil)
        raw("],\"reason\":")
        string(reason.rawValue)
        by(cause)
    }
}

/// Redelivery: unfinished transactions in bounded batches, each a whole event line.
extension JSONWriter {
    /// Opens a batch. `seq` and `prev` are both the position as of which it is true.
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

    /// Adds a transaction to the batch.
    public mutating func redelivered(_ transaction: Transaction, waitingFor: WaitingFor?) {
        element()
        self.transaction(transaction, waitingFor: waitingFor)
    }

    /// Closes the batch and its line.
    public mutating func endRedelivery() {
        raw("]}}\n")
    }
}
