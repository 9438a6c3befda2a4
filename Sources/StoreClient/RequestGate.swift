import PaymentCore
import Synchronization

/// A limit of concurrent requests, first come, first served.
final class RequestGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
        var first = 0
        var last = 0
    }

    private let state: Mutex<State>
    private let patience: Int

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - width: How many are inside at a time.
    ///   - patience: How many may wait; further callers are refused.
    init(width: Int, patience: Int = .max) {
        state = Mutex(State(free: max(1, width)))
        self.patience = patience
    }

    /// Runs a body once there is room. Each body has a deadline, so that every caller gets its turn.
    ///
    /// - Throws: The error of the body, or a failure if too many requests wait.
    func pass<Value: Sendable>(
        _ body: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        guard await enter() else {
            // This failure does not count against the store.
            throw StoreFailure(
                .internalError,
                """
                \(patience) calls are already waiting for the store; try again later
                """)
        }
        defer { leave() }
        return try await body()
    }

    /// Waits for a slot. Returns false at once if too many requests wait.
    private func enter() async -> Bool {
        await withCheckedContinuation { done in
            let answer = state.withLock { state -> Bool? in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                guard state.last - state.first < patience else { return false }
                state.waiting[state.last] = done
                state.last += 1
                return nil
            }
            if let answer { done.resume(returning: answer) }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.first < state.last else {
                state.free += 1
                return nil
            }
            defer { state.first += 1 }
            return state.waiting.removeValue(forKey: state.first)
        }
        next?.resume(returning: true)
    }
}
