/// One thing a service can tell its manager about itself.
///
/// Several of them go into one datagram, so that the manager never sees half of a change.
public enum ServiceState: Sendable, Hashable {
    /// A client that connects now gets an answer. Also ends a reload, whatever came of it.
    case ready
    /// A reload of the configuration began at this reading of the monotonic clock, in microseconds.
    ///
    /// The manager uses the reading to tell this reload's `ready` from an earlier one.
    case reloading(monotonicMicroseconds: UInt64)
    /// The service began to stop.
    case stopping
    /// One line for people, shown by `systemctl status`.
    case status(String)
    /// The service is about to exit because of this `errno`.
    case failure(errno: Int32)
    /// The service is alive; the manager's watchdog starts over.
    case watchdog
    /// A start, reload or stop continues and may take this much longer, counted from now.
    case extendTimeout(Duration)

    /// Most bytes of a status text: the manager drops a datagram of more than 4096 bytes whole.
    static let statusLimitBytes = 1024

    /// The state as the lines of the notification protocol, without a final line feed.
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

    /// Makes a text fit for one line of the protocol.
    ///
    /// A line feed would start another assignment, so a text from outside could claim anything;
    /// control characters become spaces and the end is cut at a character boundary.
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
    /// The span in whole microseconds: none for a negative span, the largest number for one that
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
