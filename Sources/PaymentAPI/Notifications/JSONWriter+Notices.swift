import JSONRPC
public import PaymentCore
public import StrictJSON

/// Notifications about a subscription or a connection, each a complete line.
extension JSONWriter {
    /// Appends `caughtUp`: replay and redelivery are complete, live events follow.
    public mutating func caughtUp(subscription: SubscriptionID, position: SequenceNumber) {
        positionNotice("caughtUp", subscription, position)
    }

    /// Appends `heartbeat`: no events for the interval; the log was scanned up to `position`.
    public mutating func heartbeat(subscription: SubscriptionID, position: SequenceNumber) {
        positionNotice("heartbeat", subscription, position)
    }

    /// Appends `gap`: records were trimmed or damaged before they were sent. The kept records after
    /// them follow, then a redelivery.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - from: The first missed sequence number.
    ///   - to: The last missed sequence number.
    ///   - reason: The reason for the gap.
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

    /// Appends `ended`: the daemon ends a subscription.
    ///
    /// - Parameters:
    ///   - subscription: The subscription.
    ///   - reason: The reason for the end.
    ///   - last: The last sequence number sent on it.
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

    /// Appends `closing`: the daemon will close the connection.
    ///
    /// - Parameters:
    ///   - reason: The reason for closing.
    ///   - graceMs: The time in which requests are still accepted, in milliseconds.
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

/// The reasons for a gap.
public enum GapReason: String, Sendable, Hashable, CaseIterable {
    /// The event log was trimmed.
    case trimmed
    /// The file with the records is damaged.
    case damaged
}

/// The reasons for the end of a subscription.
public enum EndReason: String, Sendable, Hashable, CaseIterable {
    /// The event log was trimmed, and the subscriber refused gaps.
    case trimmed
    /// The event log cannot be read, or is damaged and the subscriber refused gaps.
    case unreadable
    /// The peer lost the required role.
    case roleWithdrawn
}

/// The reasons for closing a connection.
public enum ClosingReason: String, Sendable, Hashable, CaseIterable {
    /// The daemon stops.
    case shutdown
}
