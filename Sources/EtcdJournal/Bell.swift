import Synchronization

/// A signal that wakes one task. A signal that arrives while no task waits ends the next wait at
/// once.
final class Bell: Sendable {
    private struct State {
        var hasRung = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let time: ClusterTime

    init(_ time: ClusterTime) {
        self.time = time
    }

    /// Wakes the waiting task, or ends the next wait at once.
    func ring() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let waiting = state.waiting else {
                state.hasRung = true
                return nil
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }

    /// Waits for a signal or until the time limit has passed. One task waits at a time.
    func wait(atMost limit: Duration) async {
        let timer = Task(executorPreference: time.executor) { [self] in
            guard (try? await time.sleep(limit)) != nil else { return }
            ring()
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state -> Bool in
                    if state.hasRung {
                        state.hasRung = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}
