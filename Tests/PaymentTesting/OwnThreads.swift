import Dispatch
public import Testing

/// Runs a suite on threads of its own.
///
/// For tests that block, waiting for processes, and for those that calculate for many seconds. The
/// cooperative pool has a thread per core: two of them would keep every other test of the run from
/// moving, and what a deadline stands over in those would seem to have failed.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Runs a test, or a suite's test, on those threads.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }

    private static let executor = DispatchExecutor()
}

extension Trait where Self == OwnThreads {
    /// Runs the suite on threads that may block.
    public static var ownThreads: Self { Self() }
}

/// Runs tasks on a queue that gets another thread when its threads block.
private final class DispatchExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tests on their own threads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
