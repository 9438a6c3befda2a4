internal import Synchronization

/// Tells the service manager how far a long start or stop has come, at most once a second.
///
/// The manager waits `patience` longer each time, and no longer than that for one that stands still.
public final class ProgressNotifier: Sendable {
    private let notifier: Notifier
    private let patience: Duration
    private let lastTold = Mutex<ContinuousClock.Instant?>(nil)
    private static let interval = Duration.seconds(1)

    /// Makes one for this span.
    public init(_ notifier: Notifier, patience: Duration) {
        self.notifier = notifier
        self.patience = patience
    }

    /// There is progress. A text that is shown already still prolongs the time.
    public func tell(_ status: String) {
        let now = ContinuousClock.now
        let isTime = lastTold.withLock { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
        guard isTime else { return }
        notifier.extendTimeout(by: patience, status: status)
    }
}
