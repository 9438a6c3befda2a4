import Glibc
import Synchronization

/// Records signals that would end this process, so that child processes can be ended first.
enum Interruption {
    private static let happened = Atomic<Bool>(false)
    private static let shallStop = Atomic<Bool>(false)

    /// Whether a signal to end this process arrived.
    static var isRequested: Bool { happened.load(ordering: .relaxed) }

    /// Whether Ctrl-Z was pressed since the last call.
    static func takeSuspension() -> Bool { shallStop.exchange(false, ordering: .relaxed) }

    /// Records the signals from now on instead of ending the process.
    static func remember() {
        // The handler only does a lock-free store, which is safe in signal handlers.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.happened.store(true, ordering: .relaxed) }
        }
    }

    /// Records Ctrl-Z from now on instead of stopping the process.
    static func rememberSuspension() {
        signal(SIGTSTP) { _ in Interruption.shallStop.store(true, ordering: .relaxed) }
    }
}
