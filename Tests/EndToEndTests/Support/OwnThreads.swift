import Foundation
import Testing

/// Runs a suite on threads of its own.
///
/// These tests wait for processes, and they do so by blocking. The cooperative pool has a thread per
/// core, so that two of them would keep every other test of the run from moving.
struct OwnThreads: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }

    private static let executor = DispatchExecutor()
}

extension Trait where Self == OwnThreads {
    /// Runs the suite on threads that may block.
    static var ownThreads: Self { Self() }
}

/// Runs tasks on a queue that gets another thread when its threads block.
private final class DispatchExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "end-to-end tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
