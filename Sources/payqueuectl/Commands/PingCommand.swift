import ArgumentParser
import PaymentClient
import PaymentCore
import StrictJSON

/// Checks that the daemon answers.
struct PingCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Check that the daemon answers, or wait until it does.",
        usage: """
            payqueuectl ping && echo alive
            payqueuectl ping --wait 30
            """,
        discussion: "Exit status: 0 it answers, 2 no connection, 4 no answer in time.")

    @Option(
        name: .customLong("wait"), defaultAsFlag: Seconds(60),
        help: ArgumentHelp("Wait until it answers.", valueName: "seconds"))
    var wait: Seconds?

    @Option(help: ArgumentHelp("How long to wait for one answer.", valueName: "seconds"))
    var timeout = Seconds(5)

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    /// The pause between two attempts.
    private static let pause = Duration.milliseconds(50)

    var action: String { "ping the daemon" }

    func run() async throws {
        let deadline = wait.map { ContinuousClock.now + $0.duration }
        let microseconds = try await answered(by: deadline).wholeMicroseconds
        let fraction = "\(1000 + microseconds % 1000)".dropFirst()
        let milliseconds = "\(microseconds / 1000).\(fraction)"
        let result: JSONValue = [
            "socket": .string(connection.path), "milliseconds": .number(milliseconds),
        ]
        output.show(result) { _ in ["pong from \(connection.path) in \(milliseconds) ms"] }
    }

    /// Pings the daemon until it answers or the deadline passes; without a deadline only once.
    ///
    /// - Returns: The round-trip time.
    private func answered(by deadline: ContinuousClock.Instant?) async throws -> Duration {
        while true {
            do {
                return try await roundTrip()
            } catch let failure as ConnectionFailure {
                guard let deadline else { throw explained(failure) }
                guard ContinuousClock.now + Self.pause < deadline else {
                    throw CommandFailure(
                        .timeRanOut,
                        "cannot reach the daemon within \(wait?.defaultValueDescription ?? "0") s: "
                            + failure.description,
                        advice: "check it with 'payqueuectl doctor'")
                }
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private func explained(_ failure: ConnectionFailure) -> any Error {
        guard failure.kind == .timedOut else { return failure }
        return CommandFailure(
            .timeRanOut, ErrorText.sentence(for: failure, action: action),
            advice: SocketDiagnosis.adviceForSilence)
    }

    private func roundTrip() async throws -> Duration {
        // One attempt may not exceed the whole wait.
        let timeout = wait.map { min($0.duration, self.timeout.duration) } ?? self.timeout.duration
        return try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout
        ) { daemon in
            let start = ContinuousClock.now
            _ = try await daemon.call("ping", timeout: timeout)
            return ContinuousClock.now - start
        }
    }
}
