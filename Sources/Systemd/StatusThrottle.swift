/// Keeps status lines down to about one a second, and never loses the last one.
///
/// Each line is a message to the machine's first process, so a counter that changes a thousand
/// times a second must not become a thousand messages. The caller brings the time, as a span since
/// any fixed moment of its own clock, and must not let it run backwards.
public struct StatusThrottle: Sendable {
    private let interval: Duration
    private var lastSent: (text: String?, time: Duration)?
    private var waiting: String?

    /// Makes a throttle that lets one line pass in each `interval`.
    public init(interval: Duration = .seconds(1)) {
        self.interval = interval
    }

    /// Whether a line is still to be sent.
    public var isWaiting: Bool { waiting != nil }

    /// Offers a new line; returns the line to send now, or nil to send none yet.
    ///
    /// A line that came too early waits, and a newer one takes its place. A line equal to the last
    /// one sent is not sent again.
    public mutating func offer(_ text: String, now: Duration) -> String? {
        waiting = text
        return due(now: now)
    }

    /// The line that was given out last did not get through: it is due again like a new one.
    public mutating func lost() {
        waiting = waiting ?? lastSent?.text
        lastSent?.text = nil
    }

    /// The line that waits, if it may be sent now. For the caller's timer.
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
