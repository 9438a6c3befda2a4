/// A state that a service reports to its manager.
///
/// Several states fit into one datagram, so that the manager never sees half of a change.
public enum ServiceState: Sendable, Hashable {
    /// The service is ready for clients. It also ends a reload, successful or not.
    case ready
    /// A reload of the configuration began at this time of the monotonic clock, in microseconds.
    ///
    /// The manager uses the time to match the next `ready` to this reload.
    case reloading(monotonicMicroseconds: UInt64)
    /// The service has begun to stop.
    case stopping
    /// A line for users, shown by `systemctl status`.
    case status(String)
    /// The service is about to exit because of this `errno`.
    case failure(errno: Int32)
    /// The service is alive; the manager restarts its watchdog timer.
    case watchdog
    /// A start, reload or stop continues and may take this much longer, counted from now.
    case extendTimeout(Duration)

    /// The longest status text in bytes. The manager drops datagrams of more than 4096 bytes.
    static let statusLimitBytes = 1024

    /// The assignments of the notification protocol, without a final line feed.
    var assignment: String {
        switch self {
        case .ready: "READY=1"
        case .reloading(let microseconds): "RELOADING=1\nMONOTONIC_USEC=\(microseconds)"
        case .stopping: "STOPPING=1"
        case .status(let text): "STATUS=" + Self.oneLine(text)
        case .failure(let errno): "ERRNO=\(errno)"
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(duration.wholeMicroseconds)"
        }
    }

    /// Converts text to one line of the protocol.
    ///
    /// A line feed would start another assignment, so that external text could forge states.
    /// Control characters become spaces, and the text is truncated at a character boundary.
    private static func oneLine(_ text: String) -> String {
        var line = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            let shown: Unicode.Scalar = isControl ? " " : scalar
            bytes += shown.utf8.count
            guard bytes <= statusLimitBytes else { break }
            line.unicodeScalars.append(shown)
        }
        return line
    }
}

extension Duration {
    /// The duration in whole microseconds; zero for a negative duration, `UInt64.max` for one that
    /// does not fit.
    var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (scaled, tooLarge) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(
            UInt64(attoseconds / 1_000_000_000_000))
        return tooLarge || overflow ? .max : sum
    }
}
