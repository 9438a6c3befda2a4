import ArgumentParser
import PaymentClient

/// Shows the daemon live.
struct TopCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show queue, observers, lag and rates live.",
        usage: """
            payqueuectl top
            payqueuectl top --once
            """,
        discussion: """
            q or Ctrl-C quits, p pauses. Continues after restarts of the daemon. Prints once, as \
            with --once, where standard output is not a terminal, and with --json.
            """)

    @Option(help: ArgumentHelp("The pause between two updates.", valueName: "seconds"))
    var interval = Seconds(1)

    @Flag(help: "Print once and exit.")
    var once = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var action: String { "read the status of the daemon" }

    func run() async throws {
        // The first sample also shows whether the daemon answers.
        let daemon = try await PaymentConnection.connect(to: connection.path)
        let first = try await TopSample.take(
            daemon, transactions: 500, timeout: TopLooker.patience)
        guard Console.isTerminal, !once, !output.json else {
            await daemon.close()
            return output.show(first.json) { _ in
                let lines = TopScreen(sample: first, rates: nil).lines()
                guard let columns = Console.columns else { return lines }
                return lines.map { ScreenText.clipped($0, to: columns) }
            }
        }
        Interruption.remember()
        Interruption.rememberSuspension()
        let screen = FullScreen()
        try screen.enter()
        defer { screen.leave() }
        let board = TopBoard(first)
        // Keys are read during the calls, because the daemon may be slow or down.
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [path = connection.path, interval] in
                await TopLooker(path: path, interval: interval.duration, board: board)
                    .run(on: daemon)
            }
            defer { group.cancelAll() }
            try await TopLoop(screen: screen, board: board).run()
        }
        await daemon.close()
    }
}

/// The live view: draws the state, and handles keys and changes of the size.
private struct TopLoop {
    let screen: FullScreen
    let board: TopBoard

    private static let tick = Duration.milliseconds(50)

    func run() async throws {
        var drawn: (version: Int, size: FullScreen.Size)?
        while !Interruption.isRequested {
            if Interruption.takeSuspension() {
                try screen.suspend()
                drawn = nil
            }
            switch screen.key() {
            case "q": return
            case "p": board.togglePause()
            default: break
            }
            let (now, size) = (board.now, screen.size)
            if drawn?.version != now.version || drawn?.size != size {
                draw(now, size)
                board.rowsChanged(to: size.rows)
                drawn = (now.version, size)
            }
            try await Task.sleep(for: Self.tick)
        }
    }

    private func draw(_ now: TopBoard.State, _ size: FullScreen.Size) {
        let page = TopScreen(
            sample: now.sample, rates: now.rates, trouble: now.trouble, isPaused: now.isPaused)
        screen.draw(page.lines(size: size, footer: true), size)
    }
}
