import PaymentCore
import Synchronization

/// Lets so many through at a time, in order of arrival.
final class RequestGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var first = 0
        var last = 0
    }

    private let state: Mutex<State>

    init(width: Int) {
        state = Mutex(State(free: max(1, width)))
    }

    /// Runs a body once there is room. Whoever is inside has a deadline, so that everybody gets in.
    func pass<Value: Sendable>(
        _ body: () async throws(StoreFailure) -> Value
    ) async throws(StoreFailure) -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { done in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting[state.last] = done
                state.last += 1
                return false
            }
            if isFree { done.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.first < state.last else {
                state.free += 1
                return nil
            }
            defer { state.first += 1 }
            return state.waiting.removeValue(forKey: state.first)
        }
        next?.resume()
    }
}
