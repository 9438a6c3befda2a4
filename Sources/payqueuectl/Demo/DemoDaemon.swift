import Glibc
import PaymentClient

/// The daemon of a demonstration, which can be killed and restarted on the same files.
final class DemoDaemon {
    private let program: String
    private let place: DemoPlace
    private var child: ChildProcess?

    /// Sets the program; starts nothing.
    init(program: String, place: DemoPlace) {
        self.program = program
        self.place = place
    }

    /// Starts the daemon and waits until it serves.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be started, ends at once or does not serve.
    func start() async throws {
        let log = try place.openLog()
        defer { close(log) }
        // The environment must not configure the daemon or connect it to a service manager.
        child = try ChildProcess(
            program, ["--demo", "--socket", place.socket, "--state-directory", place.state],
            environment: ChildProcess.inheritedEnvironment(
                without: ["PAYQUEUED_", "NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_"]),
            descriptors: [(own: log, child: STDOUT_FILENO), (own: log, child: STDERR_FILENO)])
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            if let probe = try? await PaymentConnection.connect(to: place.socket) {
                return await probe.close()
            }
            guard !hasEnded() else { throw failure(.refused, "ended before it served") }
            guard ContinuousClock.now < deadline else {
                throw failure(.timeRanOut, "does not serve after 30 s")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Kills the daemon with `SIGKILL`.
    func killHard() {
        child?.end()
        child = nil
    }

    /// Sends SIGTERM to the daemon, and SIGKILL if it has not ended after five seconds.
    func stop() {
        child?.terminate(within: .seconds(5))
        child = nil
    }

    /// Whether the daemon has ended; reaps the process.
    private func hasEnded() -> Bool {
        guard child?.hasEnded() ?? true else { return false }
        child = nil
        return true
    }

    private func failure(_ status: ExitStatus, _ reason: String) -> CommandFailure {
        let words = place.lastWords.map { "; its last output: \($0)" } ?? ""
        return CommandFailure(
            status, "cannot show the demo: '\(program)' \(reason)\(words)",
            advice: "start '\(program) --demo' by hand and check its output")
    }
}
