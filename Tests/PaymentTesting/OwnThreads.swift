import Dispatch
public import Testing

/// Runs a suite on threads of its own.
///
/// Tests that wait for processes need it, and so does every test that computes for more than a second without a
/// suspension. The cooperative pool has one thread for each core: two such tests occupy it, the servers in the
/// process answer nothing meanwhile, and the deadlines of other tests pass.
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
