/// A rate limit for status lines, by default one per second. It never loses the last line.
///
/// Each line is a message to the service manager, so a busy counter must not send thousands of
/// messages per second. The caller supplies the time since a fixed moment of its clock; it must not
/// decrease.
public struct StatusThrottle: Sendable {
    private let interval: Duration
    private var lastSent: (text: String?, time: Duration)?
    private var waiting: String?

    /// Creates a throttle that passes one line per `interval`.
    public init(interval: Duration = .seconds(1)) {
        self.interval = interval
    }

    /// True while a line waits to be sent.
    public var isWaiting: Bool { waiting != nil }

    /// Offers a line; returns the line to send now, or nil.
    ///
    /// An early line waits; a newer line replaces it. A line equal to the last sent one is dropped.
    public mutating func offer(_ text: String, now: Duration) -> String? {
        waiting = text
        return due(now: now)
    }

    /// Reports that the last returned line could not be sent; it becomes due again.
    public mutating func lost() {
        waiting = waiting ?? lastSent?.text
        lastSent?.text = nil
    }

    /// The waiting line if it may be sent now; for the caller's timer.
    public mutating func due(now: Duration) -> String? {
        guard let text = waiting else { return nil }
        if let last = lastSent {
            guard text != last.text else {
                waiting = nil
                return nil
            }
            guard now - last.time >= interval else { return nil }
        }
        waiting = nil
        lastSent = (text, now)
        return text
    }
}
