import ArgumentParser
import Foundation
import PaymentClient
import StrictJSON

/// Shows how the daemon is, again and again.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show queue, observers, lag and rates, live.",
        usage: """
            payqueuectl top
            payqueuectl top --once
            """,
        discussion: """
            q or Ctrl-C ends it, p pauses it. It outlives restarts of the daemon. Not on a terminal \
            it shows everything once.
            """)

    @Option(help: ArgumentHelp("The pause between two looks.", valueName: "seconds"))
    var interval = Seconds(1)

    @Flag(help: "Show everything once.")
    var once = false

    @OptionGroup var connection: ConnectionOptions

    private static let patience = Duration.seconds(5)

    func run() async throws {
        // The first look also finds out whether there is anybody to look at.
        let daemon = try await PaymentConnection.connect(to: connection.path)
        let first = try await TopSample.take(daemon, transactions: 500, timeout: Self.patience)
        guard Console.isTerminal, !once else {
            await daemon.close()
            return TopScreen(sample: first, rates: nil).lines().forEach(Console.line)
        }
        Interruption.remember()
        Interruption.rememberSuspension()
        let screen = FullScreen()
        try screen.enter()
        defer { screen.leave() }
        var loop = TopLoop(
            path: connection.path, interval: interval.duration, patience: Self.patience,
            screen: screen, daemon: daemon, sample: first)
        try await loop.run()
        await daemon.close()
    }
}

/// The loop of the live view: looks, draws, listens to keys and to changes of the size.
private struct TopLoop {
    let path: String
    let interval: Duration
    let patience: Duration
    let screen: FullScreen
    /// The connection, while there is one.
    var daemon: PaymentConnection?
    var sample: TopSample
    private var rates: TopSample.Rates?
    private var trouble: String?
    private var isPaused = false

    private static let tick = Duration.milliseconds(50)

    init(
        path: String, interval: Duration, patience: Duration, screen: FullScreen,
        daemon: PaymentConnection, sample: TopSample
    ) {
        self.path = path
        self.interval = interval
        self.patience = patience
        self.screen = screen
        self.daemon = daemon
        self.sample = sample
    }

    mutating func run() async throws {
        while true {
            guard try await rest() else { return }
            if !isPaused { await look() }
        }
    }

    /// Draws, and waits for the next look; false when it is time to end.
    private mutating func rest() async throws -> Bool {
        var drawn: FullScreen.Size?
        let end = ContinuousClock.now + interval
        repeat {
            if Interruption.isRequested { return false }
            if Interruption.takeSuspension() {
                try screen.suspend()
                drawn = nil
            }
            switch screen.key() {
            case "q": return false
            case "p":
                isPaused.toggle()
                drawn = nil
            default: break
            }
            let size = screen.size
            if drawn != size {
                draw(size)
                drawn = size
            }
            try await Task.sleep(for: min(Self.tick, interval))
        } while ContinuousClock.now < end
        return true
    }

    private func draw(_ size: FullScreen.Size) {
        let page = TopScreen(sample: sample, rates: rates, trouble: trouble, isPaused: isPaused)
        screen.draw(page.lines(rows: size.rows, footer: true), size)
    }

    /// Asks the daemon; what is known stays on the screen when it does not answer.
    private mutating func look() async {
        do {
            let current = try await connected()
            let now = try await TopSample.take(
                current, transactions: screen.size.rows, timeout: patience)
            rates = now.rates(since: sample)
            sample = now
            trouble = nil
        } catch {
            daemon = nil
            rates = nil
            trouble =
                switch error {
                case let failure as ConnectionFailure: failure.description
                case let error as RPCError: ErrorText.sentence(for: error)
                default: "cannot look: \(error.localizedDescription)"
                }
        }
    }

    private mutating func connected() async throws -> PaymentConnection {
        if let daemon { return daemon }
        let made = try await PaymentConnection.connect(to: path, timeout: .seconds(1))
        daemon = made
        return made
    }
}
