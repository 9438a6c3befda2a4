import ArgumentParser
import PaymentClient
import StrictJSON

/// Serves the page of the queue to a local browser.
struct PageCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Serve a live page of the queue to your browser.",
        usage: """
            payqueuectl page
            payqueuectl page --read-only --port 8123
            """,
        discussion: """
            Prints an address on 127.0.0.1 that works once; the browser that opened it may reload \
            the page. Anyone who uses it acts with your rights.
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 takes a free one.", valueName: "number"))
    var port: UInt16 = 0

    @Flag(help: "Show everything, refuse every action.")
    var readOnly = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var action: String { "serve the page" }

    func run() async throws {
        // A daemon is required at the start; later restarts of the daemon are tolerated.
        try await PaymentConnection.withConnection(to: connection.path) { _ in }
        let listener = try await PageListener.listen(on: port)
        let access = PageAccess(port: listener.port)
        let server = PageServer(
            access: access, daemon: PageDaemon(path: connection.path), isReadOnly: readOnly)
        Interruption.remember()
        output.show(["address": .string(access.firstAddress)]) { _ in
            let advice = "Open this address in a browser; it works once. Press Ctrl-C to stop."
            return [access.firstAddress] + (Console.isTerminal ? [advice] : [])
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await listener.run(server) }
            group.addTask {
                while !Interruption.isRequested { try await Task.sleep(for: .milliseconds(50)) }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
