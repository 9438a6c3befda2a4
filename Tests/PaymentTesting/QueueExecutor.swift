import Dispatch

/// Runs the jobs of an actor one by one on a queue of its own, so that an actor that blocks
/// for a commit holds up nobody else.
public final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Creates an executor.
    ///
    /// - Parameter label: Shown by debuggers.
    public init(label: String = "test") {
        queue = DispatchQueue(label: label)
    }

    /// Runs a job after all that were enqueued before it.
    public func enqueue(_ job: UnownedJob) {
        queue.async { [self] in
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }
}
