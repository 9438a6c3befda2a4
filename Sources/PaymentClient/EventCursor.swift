internal import StrictJSON

/// A place in the daemon's log, for going on there after any break.
public struct EventCursor: Sendable, Hashable {
    /// Which log the place is of; it changes only on a reset and after a restored backup.
    public var epoch: String
    /// The last record that was handled.
    public var sequence: Int64

    /// Makes a cursor.
    public init(epoch: String, sequence: Int64) {
        self.epoch = epoch
        self.sequence = sequence
    }
}

extension ServerNotification {
    /// How far it takes a reader; nil for one that does not move it.
    public var position: Int64? {
        switch method {
        case "event", "caughtUp", "heartbeat": params["seq"]?.intValue
        default: nil
        }
    }
}
