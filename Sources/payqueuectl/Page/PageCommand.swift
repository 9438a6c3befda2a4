import ArgumentParser
import PaymentClient

/// Serves the page of the queue to a browser on this machine.
struct PageCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Serve a live page of the queue to your browser.",
        usage: """
            payqueuectl page
            payqueuectl page --read-only --port 8123
            """,
        discussion: """
            Prints an address of this machine that works once; the browser keeps what it needs to \
            reload the page. The page acts with your rights. Ctrl-C stops it.
            """)

    @Option(help: ArgumentHelp("The port on 127.0.0.1; 0 takes a free one.", valueName: "number"))
    var port: UInt16 = 0

    @Flag(help: "Show everything, refuse every action.")
    var readOnly = false

    @OptionGroup var connection: ConnectionOptions

    var errand: String { "serve the page" }

    func run() async throws {
        // Without a daemon there is nothing to show; one that goes away later is waited for.
        try await PaymentConnection.withConnection(to: connection.path) { _ in }
        let listener = try await PageListener.listen(on: port)
        let access = PageAccess(port: listener.port)
        let server = PageServer(
            access: access, desk: PageDesk(path: connection.path), isReadOnly: readOnly)
        Interruption.remember()
        Console.line(access.firstAddress)
        if Console.isTerminal {
            Console.line("Open it in a browser. Press Ctrl-C to stop.")
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
