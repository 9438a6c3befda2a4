import ArgumentParser
import PaymentClient
import StrictJSON

/// Shows how the daemon is, again and again.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show how the daemon is, again and again.",
        usage: """
            payqueuectl top
            payqueuectl top --once
            """,
        discussion: "Ctrl-C ends it. Not on a terminal it shows everything once.")

    @Option(help: ArgumentHelp("The pause between two looks.", valueName: "seconds"))
    var interval = Seconds(1)

    @Flag(help: "Show everything once.")
    var once = false

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let isRepeating = Console.isTerminal && !once
        try await PaymentConnection.withConnection(to: connection.path) { daemon in
            repeat {
                let status = try await daemon.call("status")
                let limit: JSONValue = .integer(isRepeating ? TopText.rows : 500)
                let page = try await daemon.call("transactions", ["limit": limit])
                let text = TopText.lines(status, page).joined(separator: "\n")
                // Home and clear to the end of each line and of the screen: that does not flicker.
                Console.line(
                    isRepeating
                        ? "\u{1B}[H" + text.replacing("\n", with: "\u{1B}[K\n") + "\u{1B}[K\u{1B}[J"
                        : text)
                if isRepeating { try await Task.sleep(for: interval.duration) }
            } while isRepeating
        }
    }
}
