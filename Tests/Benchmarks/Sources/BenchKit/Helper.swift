import Glibc

/// A tool that runs next to a server until it is interrupted, such as `strace`.
final class Helper {
    private let pid: pid_t
    private let log: String
    private var hasEnded = false

    /// Starts the tool.
    ///
    /// - Parameters:
    ///   - arguments: The program, which is looked up, and its arguments.
    ///   - log: The file for its output.
    /// - Throws: The program cannot be started.
    init(_ arguments: [String], log: String) throws(BenchFailure) {
        self.log = log
        pid = try ServerProcess.spawn(arguments, environment: [:], log: log)
    }

    deinit {
        guard !hasEnded else { return }
        kill(pid, SIGKILL)
        _ = Remains.wait(for: pid)
    }

    /// Interrupts the tool and waits until it has ended and written its summary.
    func interrupt() {
        kill(pid, SIGINT)
        wait()
    }

    /// Waits until the tool has ended by itself, and expects that it succeeded.
    func finish() throws(BenchFailure) {
        guard wait() == 0 else { throw BenchFailure(try contents(ofFile: log)) }
    }

    /// Runs a program to its end.
    ///
    /// - Returns: The seconds that it took.
    /// - Throws: The program failed; the message is its output.
    static func run(_ arguments: [String], log: String) throws(BenchFailure) -> Double {
        let began = monotonicNanoseconds()
        let program = try Helper(arguments, log: log)
        try program.finish()
        return seconds(since: began)
    }

    @discardableResult
    private func wait() -> Int32 {
        hasEnded = true
        return Remains.wait(for: pid) ?? -1
    }
}
