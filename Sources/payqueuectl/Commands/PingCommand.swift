import ArgumentParser
import PaymentClient

/// Asks whether the daemon answers.
struct PingCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Ask whether the daemon answers.",
        usage: "payqueuectl ping && echo alive")

    @OptionGroup var connection: ConnectionOptions

    @Option(help: ArgumentHelp("How long to wait.", valueName: "seconds"))
    var timeout = Seconds(5)

    var errand: String { "ping the daemon" }

    func run() async throws {
        let elapsed: Duration
        do {
            elapsed = try await roundTrip()
        } catch let failure as ConnectionFailure where failure.kind == .timedOut {
            throw CommandFailure(
                .timeRanOut, ErrorText.sentence(for: failure, errand: errand),
                advice: SocketDiagnosis.adviceForSilence)
        }
        let (seconds, attoseconds) = elapsed.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let fraction = "\(1000 + microseconds % 1000)".dropFirst()
        Console.line("pong from \(connection.path) in \(microseconds / 1000).\(fraction) ms")
    }

    private func roundTrip() async throws -> Duration {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            let start = ContinuousClock.now
            _ = try await daemon.call("ping", timeout: timeout.duration)
            return ContinuousClock.now - start
        }
    }
}
