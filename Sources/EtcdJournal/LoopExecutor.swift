import NIOCore

/// Runs tasks on the thread of their connections, so that a request and its answer change the thread only once
/// each. A change of the thread takes about as long as the daemon's own work on a change.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
