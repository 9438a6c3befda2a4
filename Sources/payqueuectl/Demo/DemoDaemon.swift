import Glibc
import PaymentClient

/// The daemon of a demonstration, which may be killed and started again on the same files.
final class DemoDaemon {
    private let program: String
    private let place: DemoPlace
    private var id: pid_t?

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
        try spawn(log: log)
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
    func killHard() throws {
        guard let id else { return }
        kill(id, SIGKILL)
        waitpid(id, nil, 0)
        self.id = nil
    }

    /// Asks it to end, and ends it by force if it has not after five seconds.
    func stop() {
        guard let id else { return }
        kill(id, SIGTERM)
        let deadline = ContinuousClock.now + .seconds(5)
        while !hasEnded() {
            guard ContinuousClock.now < deadline else {
                kill(id, SIGKILL)
                waitpid(id, nil, 0)
                break
            }
            usleep(10_000)
        }
        self.id = nil
    }

    /// Whether it has ended; collects it if it has.
    private func hasEnded() -> Bool {
        guard let id else { return true }
        guard waitpid(id, nil, WNOHANG) != 0 else { return false }
        self.id = nil
        return true
    }

    private func failure(_ status: ExitStatus, _ reason: String) -> CommandFailure {
        let words = place.lastWords.map { "; its last words were: \($0)" } ?? ""
        return CommandFailure(
            status, "cannot show the demo: '\(program)' \(reason)\(words)",
            advice: "start '\(program) --demo' by hand and see what it says")
    }

    private func spawn(log: Int32) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
        let arguments = ["--demo", "--socket", place.socket, "--state-directory", place.state]
        let words = ([program] + arguments).map { strdup($0) }
        let variables = Self.environment.map { strdup($0) }
        defer { (words + variables).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, program, &actions, nil, words + [nil], variables + [nil])
        guard failure == 0 else {
            throw CommandFailure(
                .refused, "cannot start '\(program)': \(SystemWords.of(failure))",
                advice: "check that the program exists and may be run")
        }
        id = child
    }

    /// The environment of this process without what would configure the daemon.
    private static var environment: [String] {
        let left = ["PAYQUEUED_", "NOTIFY_SOCKET=", "LISTEN_", "WATCHDOG_"]
        var variables: [String] = []
        var place = environ
        while let variable = place.pointee {
            let text = String(cString: variable)
            if !left.contains(where: text.hasPrefix) { variables.append(text) }
            place += 1
        }
        return variables
    }
}
