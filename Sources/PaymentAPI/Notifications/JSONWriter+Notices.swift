import JSONRPC
public import PaymentCore
public import StrictJSON

/// Notifications about a subscription or a connection rather than about the queue; each a whole
/// line.
extension JSONWriter {
    /// Replay and redelivery are over; what follows is live.
    public mutating func caughtUp(subscription: SubscriptionID, position: SequenceNumber) {
        positionNotice("caughtUp", subscription, position)
    }

    /// Nothing happened for a while; the log was scanned up to `position`.
    public mutating func heartbeat(subscription: SubscriptionID, position: SequenceNumber) {
        positionNotice("heartbeat", subscription, position)
    }

    /// Records were trimmed before this subscription had read them. What is kept behind them
    /// follows, then a redelivery.
    ///
    /// - Parameters:
    ///   - subscription: Which one.
    ///   - from: The first sequence number that it did not get.
    ///   - to: The last one.
    ///   - reason: Why they are gone.
    public mutating func gap(
        subscription: SubscriptionID, from: SequenceNumber, to: SequenceNumber, reason: GapReason
    ) {
        begin("gap", subscription)
        raw(",\"from\":")
        integer(from)
        raw(",\"to\":")
        integer(to)
        raw(",\"reason\":")
        string(reason.rawValue)
        raw("}}\n")
    }

    /// The daemon ends a subscription.
    ///
    /// - Parameters:
    ///   - subscription: Which one.
    ///   - reason: Why.
    ///   - last: The last sequence number that was sent on it.
    public mutating func ended(
        subscription: SubscriptionID, reason: EndReason, last: SequenceNumber
    ) {
        begin("ended", subscription)
        raw(",\"reason\":")
        string(reason.rawValue)
        raw(",\"last\":")
        integer(last)
        raw("}}\n")
    }

    /// The daemon closes the connection soon.
    ///
    /// - Parameters:
    ///   - reason: Why.
    ///   - graceMs: For how long it still takes requests.
    ///   - head: The newest sequence number, to subscribe after.
    public mutating func closing(reason: ClosingReason, graceMs: Int, head: SequenceNumber) {
        beginNotification("closing")
        raw("{\"reason\":")
        string(reason.rawValue)
        raw(",\"graceMs\":")
        integer(graceMs)
        raw(",\"head\":")
        integer(head)
        raw("}}\n")
    }

    private mutating func positionNotice(
        _ method: StaticString, _ subscription: SubscriptionID, _ position: SequenceNumber
    ) {
        begin(method, subscription)
        raw(",\"seq\":")
        integer(position)
        raw("}}\n")
    }

    private mutating func begin(_ method: StaticString, _ subscription: SubscriptionID) {
        beginNotification(method)
        raw("{\"subscription\":\"s")
        integer(subscription.number)
        raw("\"")
    }
}

/// Why records are missing from a subscription.
public enum GapReason: String, Sendable, Hashable, CaseIterable {
    /// The event log was trimmed.
    case trimmed
}

/// Why the daemon ended a subscription.
public enum EndReason: String, Sendable, Hashable, CaseIterable {
    /// The event log was trimmed and the subscriber wanted no gap.
    case trimmed
    /// The event log cannot be read.
    case unreadable
    /// The peer lost the role that it takes.
    case roleWithdrawn
    /// The event log was reset.
    case epochChanged
}

/// Why the daemon closes a connection.
public enum ClosingReason: String, Sendable, Hashable, CaseIterable {
    /// The daemon stops.
    case shutdown
    /// The daemon starts anew at once.
    case restart
    /// The peer took nothing for too long.
    case stalled
    /// The peer left a line unfinished for too long.
    case incompleteLine
}
