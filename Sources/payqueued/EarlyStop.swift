import Glibc
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Ends a daemon that is told to stop before it serves: a long replay, or the first instant of a demo.
///
/// No client is connected yet, and the files can be left at any time, so there is nothing to wait
/// for; but the service manager hears of it, and nothing is left lying about.
final class EarlyStop: Sendable {
    private struct State {
        var isServing = false
        var services: ServiceGroup?
    }

    private let state = Mutex(State())

    /// Listens for signals from now on.
    ///
    /// - Parameter tidyUp: What is done before the process ends.
    func begin(_ tidyUp: @escaping @Sendable () -> Void) async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Unstructured, because it waits during the whole start; it ends with the process.
        Task {
            for await _ in signals {
                let services = state.withLock { $0.isServing ? $0.services : nil }
                guard let services else {
                    tidyUp()
                    _exit(0)
                }
                // The group listens itself; but a signal may have come before it did.
                await services.triggerGracefulShutdown()
            }
        }
    }

    /// Names who is told of a stop once the daemon serves.
    func hand(over services: ServiceGroup) {
        state.withLock { $0.services = services }
    }

    /// From now on the daemon stops as one that serves.
    func end() {
        state.withLock { $0.isServing = true }
    }
}
