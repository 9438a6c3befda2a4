internal import Glibc
internal import Synchronization

/// Tells the service manager how far a long start or stop has come, at most once a second.
///
/// The manager waits `patience` longer each time, and no longer than that for one that stands still.
public final class ProgressNotifier: Sendable {
    private let notifier: Notifier
    private let patience: Duration
    private let throttle = Mutex(StatusThrottle())

    /// Makes one for this span.
    public init(_ notifier: Notifier, patience: Duration) {
        self.notifier = notifier
        self.patience = patience
    }

    /// There is progress. A text that is shown already still prolongs the time.
    public func tell(_ status: String) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        guard throttle.withLock({ $0.isTime(now: now) }) else { return }
        notifier.extendTimeout(by: patience, status: status)
    }
}
