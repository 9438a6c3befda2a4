import CBenchSupport
import Foundation
import Glibc
import Synchronization

/// The processes and directories of a run. An interrupted run ends and removes them, too.
public enum Remains {
    private struct State {
        var processes: Set<pid_t> = []
        var directories: Set<String> = []
    }

    private static let state = Mutex(State())

    /// Ends the program on SIGINT, SIGTERM and SIGHUP after its processes, and removes its directories.
    ///
    /// This is called before other threads start, since a thread inherits the blocked signals.
    public static func clearOnSignals() {
        pthread_sigmask(SIG_BLOCK, [signals], nil)
        Thread.detachNewThread {
            var signal: Int32 = 0
            sigwait([signals], &signal)
            clear()
            _exit(128 + signal)
        }
    }

    /// The empty set of signals, with which children start.
    static var noSignals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        return set
    }

    private static var signals: sigset_t {
        var set = noSignals
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        return set
    }

    /// Starts a process. A signal finds it as soon as it runs.
    ///
    /// - Parameter start: Returns the process, or nil if it did not start.
    /// - Returns: The same.
    static func add(_ start: () -> pid_t?) -> pid_t? {
        state.withLock { state in
            let process = start()
            if let process { state.processes.insert(process) }
            return process
        }
    }

    /// Waits until a process has ended. Its number, which may be given to another process from then on, is
    /// forgotten in the same moment.
    ///
    /// - Parameters:
    ///   - process: A process that was started with ``add(_:)``.
    ///   - isBlocking: False if the process may still run.
    /// - Returns: Its status, or -1 if it is unknown; nil if it still runs.
    static func wait(for process: pid_t, isBlocking: Bool = true) -> Int32? {
        if isBlocking {
            // The process keeps its number until it is waited for below, with the lock.
            var facts = siginfo_t()
            while waitid(P_PID, id_t(process), &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        }
        return state.withLock { state in
            var status: Int32 = 0
            let ended = waitpid(process, &status, WNOHANG)
            guard ended != 0 else { return nil }
            state.processes.remove(process)
            return ended == process ? status : -1
        }
    }

    static func add(_ directory: String) { state.withLock { _ = $0.directories.insert(directory) } }

    static func remove(_ directory: String) {
        state.withLock { _ = $0.directories.remove(directory) }
    }

    /// Ends all processes at once. Their directories are removed when they have ended.
    private static func clear() {
        state.withLock { state in
            for process in state.processes { kill(process, SIGKILL) }
            var status: Int32 = 0
            for process in state.processes { waitpid(process, &status, 0) }
            for directory in state.directories { bench_remove_tree(directory) }
        }
    }
}
