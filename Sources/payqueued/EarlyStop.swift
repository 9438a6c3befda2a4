import Glibc
import Synchronization
import UnixSignals

/// Ends a daemon that is told to stop before it serves: a long replay, or the first instant of a demo.
///
/// Nobody is connected yet, and the files are fit for being left at any time, so there is nothing to wait
/// for; but the service manager hears of it, and nothing is left lying about.
final class EarlyStop: Sendable {
    private let isServing = Mutex(false)

    /// Listens for signals from now on.
    ///
    /// - Parameter tidyUp: What is done before the process ends.
    func begin(_ tidyUp: @escaping @Sendable () -> Void) async {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        // Unstructured, because it waits beside all of the start; it ends with the process.
        Task {
            for await _ in signals where !isServing.withLock({ $0 }) {
                tidyUp()
                _exit(0)
            }
        }
    }

    /// From now on the daemon stops as one that serves.
    func end() {
        isServing.withLock { $0 = true }
    }
}
