import Glibc
import PaymentClient
import StrictJSON

/// The steps of the demonstration. Every printed line shows an observed result.
struct DemoStory {
    /// The reader of standard output has closed it, as after `payqueuectl demo | head -3`.
    struct ReaderGone: Error {}

    private let place: DemoPlace
    private let daemon: DemoDaemon
    /// Whether each step is a JSON object instead of a line for users.
    private let isForPrograms: Bool
    private let pace: Duration
    private var acknowledged: [DemoTally.Acknowledged] = []

    /// The simulated latency of the store in milliseconds, so that the daemon dies before the
    /// answer.
    private static let latencyMilliseconds = 2000

    /// Runs the whole demonstration on a new daemon, and always ends the daemon.
    ///
    /// - Parameters:
    ///   - program: The program of the daemon.
    ///   - isForPrograms: Whether each step is printed as a JSON object.
    ///   - pace: The pause after each line.
    /// - Throws: ``CommandFailure`` if the daemon does not serve or a purchase was lost or
    ///   duplicated; ``ReaderGone``, `CancellationError`, and the errors of calls.
    @concurrent
    static func tell(
        daemon program: String, isForPrograms: Bool, pace: Duration
    ) async throws {
        let place = try DemoPlace()
        defer { place.remove() }
        let daemon = DemoDaemon(program: program, place: place)
        defer { daemon.stop() }
        var story = DemoStory(
            place: place, daemon: daemon, isForPrograms: isForPrograms, pace: pace)
        try await story.run()
    }

    private init(
        place: DemoPlace, daemon: DemoDaemon, isForPrograms: Bool, pace: Duration
    ) {
        self.place = place
        self.daemon = daemon
        self.isForPrograms = isForPrograms
        self.pace = pace
    }

    @concurrent
    private mutating func run() async throws {
        try await line("A new daemon with a built-in test store, in \(place.directory).")
        try await line("")
        try await daemon.start()
        try await say("daemon", "started; a game connects")
        var game = try await DemoClient("game", socket: place.socket)
        let coins = try await game.product("coins.100")
        try await buy(coins, &game)
        let adverts = try await game.product("remove-ads")
        let bought = try await crash(during: adverts, &game)
        try await buyElsewhere(coins, &game)
        try await restore(&game)
        try await refund(bought, of: adverts, &game)
        try await count(game)
    }

    /// Shows a purchase from the payment to its end.
    @concurrent
    private mutating func buy(_ product: DemoProduct, _ game: inout DemoClient) async throws {
        let transaction = try await game.add(product, key: "demo-1")
        acknowledged.append(.transaction(transaction))
        try await say("game", "buys \(product); acknowledged as soon as it is on disk")
        let purchase = try await game.purchase { $0["id"]?.stringValue == transaction }
        try await say("store", "charges \(PriceText.price(purchase["charged"])): purchased")
        try await game.finish(purchase)
        try await say("game", "unlocks \(product.id) and finishes the transaction")
    }

    /// Shows a purchase during which the daemon is killed, after the charge at the store and before
    /// the store's answer.
    ///
    /// - Returns: The id of the transaction.
    @concurrent
    private mutating func crash(
        during product: DemoProduct, _ game: inout DemoClient
    ) async throws -> String {
        _ = try await game.call("test.set", ["latencyMs": .integer(Self.latencyMilliseconds)])
        let first = try await game.add(product, key: "demo-2")
        acknowledged.append(.transaction(first))
        try await say("game", "buys \(product); acknowledged", pause: .zero)
        while try await game.charges(of: first) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        daemon.killHard()
        try await say("store", "charges \(product.price); its answer is still on the way")
        try await say("kill -9", "the daemon dies in the middle of the purchase", .bad)
        try await daemon.start()
        game = try await DemoClient("game", socket: place.socket)
        _ = try await game.call("test.reset")
        let kept = try await game.unfinished()[first]?["transactionState"]?.stringValue
        try await say(
            "daemon",
            kept.map { "started again on the same files; \(product.id) is \($0)" }
                ?? "started again on the same files; \(product.id) is not in the queue",
            kept == nil ? .bad : .strong)
        let second = try await game.add(product, key: "demo-2")
        if second != first { acknowledged.append(.transaction(second)) }
        try await say(
            "game",
            second == first
                ? "asks again with the same key and gets the same transaction"
                : "asks again with the same key and gets another transaction",
            second == first ? .strong : .bad)
        let purchase = try await game.purchase { $0["id"]?.stringValue == second }
        let charges = try await game.charges(of: second)
        let times = charges == 1 ? "once" : "\(charges) times"
        try await say(
            "store", "repeats its answer: purchased, charged \(times)",
            charges == 1 ? .strong : .bad)
        try await game.finish(purchase)
        try await say("game", "unlocks \(product.id) and finishes the transaction")
        return second
    }

    /// Shows a purchase on another device of the same account.
    @concurrent
    private mutating func buyElsewhere(
        _ product: DemoProduct, _ game: inout DemoClient
    ) async throws {
        let order = try await game.call("test.buy", ["product": .string(product.id)])["order"]
        guard let order = order?.stringValue else { throw DemoClient.notUnderstood("test.buy") }
        acknowledged.append(.order(order))
        try await say("phone", "buys \(product) on the same account, outside of the daemon")
        let purchase = try await game.purchase { $0["transactionIdentifier"]?.stringValue == order }
        try await say("daemon", "learns of it from the store and passes it on to the game")
        try await game.finish(purchase)
        try await say("game", "unlocks \(product.id) and finishes the transaction")
    }

    @concurrent
    private func restore(_ game: inout DemoClient) async throws {
        let restored = try await game.restore(key: "demo-3")
        for transaction in restored { try await game.finish(transaction) }
        let names = restored.map(DemoClient.productID).joined(separator: ", ")
        try await say(
            "game",
            names.isEmpty
                ? "asks for a restore: nothing comes back"
                : "asks for a restore: \(names) comes back without a charge",
            names.isEmpty ? .bad : .strong)
    }

    /// Shows a refund with two subscribed clients.
    @concurrent
    private func refund(
        _ transaction: String, of product: DemoProduct, _ game: inout DemoClient
    ) async throws {
        var server = try await DemoClient("server", socket: place.socket)
        _ = try await game.call("test.refund", ["transaction": .string(transaction)])
        try await say("store", "refunds \(product)")
        let seen = [try await game.revoked(), try await server.revoked()]
        await server.close()
        let isSeen = seen.allSatisfy { $0.contains(product.id) }
        try await say(
            "daemon",
            isSeen
                ? "tells both observers, the game and its server: \(product.id) is revoked"
                : "tells the observers of other products",
            isSeen ? .strong : .bad)
    }

    private func count(_ game: DemoClient) async throws {
        let tally = DemoTally(
            acknowledged: acknowledged, transactions: try await game.allTransactions(),
            orders: try await game.orders())
        await game.close()
        if isForPrograms {
            try await write(tally.json.jsonText())
        } else {
            try await line("")
            try await line(Console.styled(tally.description, tally.isSound ? .good : .bad))
            try await line("")
        }
        guard tally.isSound else {
            throw CommandFailure(
                .refused, "cannot pass the demo: purchases are lost or doubled",
                advice: "check that '--daemon' names a payqueued of this release")
        }
    }

    /// Writes a step.
    private func say(
        _ actor: String, _ text: String, _ style: Console.Style = .strong, pause: Duration? = nil
    ) async throws {
        if isForPrograms {
            let step: JSONValue = ["actor": .string(actor), "text": .string(text)]
            try await write(step.jsonText(), pause: pause ?? pace)
        } else {
            let gap = String(repeating: " ", count: max(1, 9 - actor.count))
            try await write(Console.styled(actor, style) + gap + text, pause: pause ?? pace)
        }
    }

    /// Writes a line for users only.
    private func line(_ text: String) async throws {
        if !isForPrograms { try await write(text) }
    }

    private func write(_ text: String, pause: Duration = .zero) async throws {
        var reader = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        let isGone = poll(&reader, 1, 0) > 0 && Int32(reader.revents) & (POLLERR | POLLHUP) != 0
        guard !isGone else { throw ReaderGone() }
        Console.line(text)
        try await Task.sleep(for: pause)
    }
}
