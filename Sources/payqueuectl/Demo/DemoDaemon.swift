import Glibc
import PaymentClient

/// The daemon of a demonstration, which may be killed and started again on the same files.
final class DemoDaemon {
    private let program: String
    private let place: DemoPlace
    private var child: ChildProcess?

    /// Names the program; nothing is started yet.
    init(program: String, place: DemoPlace) {
        self.program = program
        self.place = place
    }

    /// Starts it and waits until it serves.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be started, ends at once or does not serve.
    func start() async throws {
        let log = try place.openLog()
        defer { close(log) }
        // Without what would configure the daemon, or connect it to a service manager.
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

    /// Ends it with `SIGKILL`, in the middle of whatever it does.
    func killHard() {
        child?.end()
        child = nil
    }

    /// Asks it to end, and ends it by force if it has not after five seconds.
    func stop() {
        child?.terminate(within: .seconds(5))
        child = nil
    }

    /// Whether it has ended; collects it if it has.
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
