import Glibc

/// The clock and the executor for the tasks of a node. A simulation supplies its own.
struct ClusterTime: Sendable {
    /// A clock that never steps, and continues while the process is stopped.
    var now: @Sendable () -> Duration = Self.systemClock
    /// Returns after a time, and throws if the task is cancelled before.
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// The executor of all tasks except those that read the log; nil for the threads that all tasks share.
    var executor: (any TaskExecutor)?

    /// The time since the machine started. It never steps, and goes on while the process is stopped or the
    /// machine sleeps.
    private static let systemClock: @Sendable () -> Duration = {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
