internal import Synchronization

/// A reporter of the progress of a long start or stop, at most once per second.
///
/// Each report extends the manager's timeout by `patience`, so that a stalled service is still
/// detected.
public final class ProgressNotifier: Sendable {
    private let notifier: Notifier
    private let patience: Duration
    private let lastTold = Mutex<ContinuousClock.Instant?>(nil)
    private static let interval = Duration.seconds(1)

    /// Creates a reporter with the extension per report.
    public init(_ notifier: Notifier, patience: Duration) {
        self.notifier = notifier
        self.patience = patience
    }

    /// Reports progress. An unchanged text still extends the timeout.
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
