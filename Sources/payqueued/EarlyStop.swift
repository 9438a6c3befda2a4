import Glibc
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Ends a daemon on a stop signal before it serves, for example during a long replay.
///
/// No client is connected yet, and the files are valid at any time. The process therefore exits at
/// once, after it has notified the service manager and removed temporary files.
final class EarlyStop: Sendable {
    private struct State {
        var isServing = false
        var services: ServiceGroup?
    }

    private let state = Mutex(State())

    /// Starts listening for signals.
    ///
    /// - Parameters:
    ///   - stops: Runs at each signal.
    ///   - tidyUp: Runs before the process ends.
    func begin(
        _ stops: @escaping @Sendable () -> Void, tidyUp: @escaping @Sendable () -> Void
    ) async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Unstructured, because it waits during the whole start; it ends with the process.
        Task {
            for await _ in signals {
                stops()
                let services = state.withLock { $0.isServing ? $0.services : nil }
                guard let services else {
                    tidyUp()
                    _exit(0)
                }
                // The service group listens for signals as well, but this one may have arrived
                // earlier.
                await services.triggerGracefulShutdown()
            }
        }
    }

    /// Sets the service group that a signal stops after the daemon serves.
    func hand(over services: ServiceGroup) {
        state.withLock { $0.services = services }
    }

    /// Switches to the graceful stop of a serving daemon.
    func end() {
        state.withLock { $0.isServing = true }
    }
}
