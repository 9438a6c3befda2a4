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
    public mutating func eventTail(_ record: Record, waitingFor: WaitingFor?) {
        eventMembers(record, waitingFor: waitingFor)
        raw("}}\n")
    }

    /// An event as the method `events` lists it: without subscription and `prev`.
    public mutating func listedEvent(_ record: Record, waitingFor: WaitingFor?) {
        raw("{")
        eventMembers(record, waitingFor: waitingFor)
        raw("}")
    }

    private mutating func eventMembers(_ record: Record, waitingFor: WaitingFor?) {
        raw("\"seq\":")
        integer(record.sequence)
        switch record.event {
        case .transaction(.removed(let reason), let transaction):
            raw(",\"kind\":\"transactionsRemoved\",\"time\":")
            time(record.time)
            removal(of: transaction, reason, record.origin)
        case .transaction(let change, let transaction):
            precondition(change != .completing, "a completing transaction is not an event")
            raw(",\"kind\":\"transactionsUpdated\",\"time\":")
            time(record.time)
            raw(",\"transactions\":[")
            self.transaction(transaction, waitingFor: waitingFor)
            raw("]")
        case .sessionChanged(let old, let new):
            raw(",\"kind\":\"storefrontChanged\",\"time\":")
            time(record.time)
            sessionChange(from: old, to: new)
        default:
            preconditionFailure("record \(record.sequence) is not an event")
        }
    }

    private mutating func removal(
        of transaction: Transaction, _ reason: RemovalReason, _ cause: Origin?
    ) {
        raw(",\"transactions\":[")
        self.transaction(transaction, waitingFor: nil)
        raw("],\"reason\":")
        string(reason.wireWord)
        if let cause {
            raw(",\"by\":")
            origin(cause)
        }
    }

    private mutating func sessionChange(from old: Session?, to new: Session?) {
        raw(",\"from\":")
        storefront(old?.country)
        raw(",\"to\":")
        storefront(new?.country)
        raw(",\"account\":")
        if let new { string(new.account.string) } else { null() }
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
