import ArgumentParser
import PaymentClient
import StrictJSON

/// Says how the daemon is, and why nothing moves if nothing does.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say how the daemon is, and why nothing moves if nothing does.",
        usage: "payqueuectl status --json | jq .queue")

    @Flag(help: "Print the daemon's answer as one line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("How long to wait.", valueName: "seconds"))
    var timeout = Seconds(5)

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let status = try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            try await daemon.call("status", timeout: timeout.duration)
        }
        if json {
            Console.line(status.jsonText())
        } else {
            StatusText.lines(status).forEach(Console.line)
        }
    }
}
