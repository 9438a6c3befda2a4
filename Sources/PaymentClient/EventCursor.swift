internal import StrictJSON

/// A cursor in the daemon's log, from which a subscription can continue.
public struct EventCursor: Sendable, Hashable {
    /// The epoch of the log. It changes only on a reset and after a restored backup.
    public var epoch: String
    /// The sequence number of the last handled record.
    public var sequence: Int64

    /// Creates a cursor.
    public init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension ServerNotification {
    /// The sequence number that a reader has reached with it; nil if it does not move the cursor.
    public var position: Int64? {
        switch method {
        case "event", "caughtUp", "heartbeat": params["seq"]?.intValue
        default: nil
        }
    }
}
