import Glibc
import Synchronization

/// Remembers an interrupt or a request to terminate, so that what it started
/// can be ended first.
enum Interruption {
    private static let happened = Atomic<Bool>(false)
    private static let shallStop = Atomic<Bool>(false)

    /// Whether a signal asked this process to end.
    static var isRequested: Bool { happened.load(ordering: .relaxed) }

    /// Whether Ctrl-Z was pressed since this was asked last.
    static func takeSuspension() -> Bool { shallStop.exchange(false, ordering: .relaxed) }

    /// From here on the signals are remembered instead of ending the process.
    static func remember() {
        // A lock-free store is all that the handler does: that is safe in a signal handler.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.happened.store(true, ordering: .relaxed) }
        }
    }

    /// From here on Ctrl-Z is remembered instead of stopping the process.
    static func rememberSuspension() {
        signal(SIGTSTP) { _ in Interruption.shallStop.store(true, ordering: .relaxed) }
    }
}
