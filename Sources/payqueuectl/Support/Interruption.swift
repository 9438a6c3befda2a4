import Glibc
import Synchronization

/// Records signals that would end this process, so that child processes can be ended first.
enum Interruption {
    /// The number of the first signal to end this process; 0 before.
    private static let arrived = Atomic<Int32>(0)
    private static let shallStop = Atomic<Bool>(false)

    /// Whether a signal to end this process arrived.
    static var isRequested: Bool { arrived.load(ordering: .relaxed) != 0 }

    /// Whether Ctrl-Z was pressed since the last call.
    static func takeSuspension() -> Bool { shallStop.exchange(false, ordering: .relaxed) }

    /// Records the signals from now on instead of ending the process.
    static func remember() {
        // The handler only changes an atomic value, which is safe in signal handlers.
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { number in
                _ = Interruption.arrived.compareExchange(
                    expected: 0, desired: number, ordering: .relaxed)
            }
        }
    }

    /// Ends the process by the recorded signal, so that a shell reports it as such.
    static func endProcess() -> Never {
        let number = arrived.load(ordering: .relaxed)
        signal(number, SIG_DFL)
        // The threads of the runtime block signals.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        raise(number)
        exit(128 + number)
    }

    /// Records Ctrl-Z from now on instead of stopping the process.
    static func rememberSuspension() {
        signal(SIGTSTP) { _ in Interruption.shallStop.store(true, ordering: .relaxed) }
    }
}
