import Dispatch
import Foundation
import Synchronization
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

    private static let executor = ThreadExecutor()
}

extension Trait where Self == OwnThreads {
    /// Runs the suite on threads that may block.
    public static var ownThreads: Self { Self() }
}

/// Runs tasks on threads, and starts another thread whenever all are busy.
///
/// A concurrent dispatch queue does not: it has a thread for each core while its threads compute, and starts
/// others only when they block. Two tests that compute would stop every other test of the executor.
private final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
        /// Threads that wait to be woken.
        var idle = 0
    }

    /// Tests with thousands of tasks get no more threads than this.
    private static let limit = 64
    private let state = Mutex(State())
    private let wakeup = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                wakeup.signal()
            } else if state.threads < Self.limit {
                state.threads += 1
                return true
            }
            return false
        }
        if mustStart { Thread.detachNewThread { [self] in run() } }
    }

    private func run() {
        while true {
            let job = state.withLock { state -> UnownedJob? in
                guard state.jobs.isEmpty else { return state.jobs.removeFirst() }
                state.idle += 1
                return nil
            }
            guard let job else {
                wakeup.wait()
                continue
            }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
