import NIOCore

/// Runs tasks on the thread of their connections. A request and its answer then need only one thread switch
/// each. A thread switch takes about as long as the daemon's own work on a change.
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
