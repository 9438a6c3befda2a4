import ArgumentParser
import PaymentClient
import StrictJSON

/// Buys a product and follows the purchase to its end.
struct BuyCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "Buy a product and follow the purchase to its end.",
        usage: """
            payqueuectl buy coins.100 --finish
            payqueuectl buy <product> [--key <key>] [--token <text>] [--finish]
            """,
        discussion: """
            The same --key never pays twice: after an interruption, repeat the command with the \
            key that it printed. Without --finish the purchase stays in the queue until it is \
            finished.

            Exit status: 0 purchased, 1 failed or removed, 4 still waiting.
            """)

    @Argument(help: "The product.", completion: .products)
    var product: String

    @Option(help: ArgumentHelp("Names this purchase (default: a random one).", valueName: "key"))
    var key: String?

    @Option(
        help: ArgumentHelp("Your own account token, kept with the purchase.", valueName: "text"))
    var token: String?

    @Flag(help: "Finish it as delivered once it is paid.")
    var finish = false

    @Option(help: ArgumentHelp("How long to wait for the purchase.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var output: OutputOptions
    @OptionGroup var connection: ConnectionOptions

    var action: String { "buy '\(product)'" }
    var afterLoss: String {
        let words = ["payqueuectl buy", product, "--key", purchaseKey].map { word in
            word.hasPrefix("payqueuectl ") ? word : Shell.quoted(word)
        }
        return "repeat it with '\(words.joined(separator: " "))\(finish ? " --finish" : "")'; "
            + "that never pays twice"
    }
    var data: JSONValue? { ["key": .string(purchaseKey)] }

    private var patience: Duration { Patience.later(timeout.duration) }

    /// The idempotency key of this run, if the command line has none.
    private static let madeKey = freshKey()
    private var purchaseKey: String { key ?? Self.madeKey }

    func run() async throws {
        try await PaymentConnection.withConnection(to: connection.path) { daemon in
            let first = Patience.first(timeout.duration)
            try await daemon.introduce(as: OwnProgram.name, timeout: first)
            // The filter prevents this observer from releasing purchases of other products to the
            // store.
            _ = try await daemon.call(
                "subscribe",
                [
                    "products": [.string(product)],
                    "kinds": ["transactionsUpdated", "transactionsRemoved"],
                ], timeout: first)
            var purchase = try await add(on: daemon)
            let deadline = ContinuousClock.now + timeout.duration
            var notifications = daemon.notifications.makeAsyncIterator()
            purchase = try await follow(purchase, &notifications, daemon, until: deadline) {
                $0.isSettled
            }
            guard purchase.isSettled else { throw await stillWaiting(purchase) }
            try await conclude(purchase, daemon, &notifications, deadline)
        }
    }

    private func add(on daemon: PaymentConnection) async throws -> Purchase {
        var members = [
            JSONMember(name: "product", value: .string(product)),
            JSONMember(name: "key", value: .string(purchaseKey)),
        ]
        if let token { members.append(JSONMember(name: "appAccountToken", value: .string(token))) }
        say("key", purchaseKey)
        let answer: JSONValue
        do {
            answer = try await daemon.call("add", .object(members), timeout: patience)
        } catch let error as RPCError where error.code == 1101 && !output.json {
            // The error suggests the product that the user probably meant.
            try await ProductNames.check([product], on: daemon, timeout: patience, action: action)
            throw error
        }
        var purchase = Purchase(answer: answer)
        let again = answer["duplicate"]?.boolValue == true
        say(again ? "known" : "accepted", purchase.transaction)
        if again, answer["removed"] == nil {
            let now = try await daemon.call(
                "transactions", ["ids": [.string(purchase.transaction)]], timeout: patience)
            if let snapshot = now["transactions"]?.arrayValue?.first {
                purchase.take(snapshot: snapshot)
            }
        }
        if purchase.standing == .waiting(for: "store"), let trouble = await storeTrouble() {
            say("purchasing", trouble.sentence, .bad)
        } else {
            describe(purchase)
        }
        return purchase
    }

    /// The reason why the store does not decide, if the daemon has one, and the condition that the
    /// purchase waits for. It uses a separate connection, because that of the purchase may be
    /// closed or blocked by unread notifications.
    private func storeTrouble() async -> (sentence: String, waitsFor: String)? {
        let status = try? await AnswerOptions.ask("status", connection.path, .seconds(2))
        if let ended = status.flatMap({ EndedText.sentence($0.plain) }) { return (ended, "login") }
        return WaitingText.trouble(status?["store"]).map { ($0, "store") }
    }

    /// Follows the purchase and prints each step until the condition holds or the timeout has
    /// passed. Only the state of the returned purchase distinguishes the two.
    private func follow(
        _ purchase: Purchase, _ notifications: inout ServerNotifications.AsyncIterator,
        _ daemon: PaymentConnection, until deadline: ContinuousClock.Instant,
        _ condition: (Purchase) -> Bool
    ) async throws -> Purchase {
        var purchase = purchase
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // The timeout closes the connection, which ends the wait below.
            group.addTask {
                try await Task.sleep(until: deadline)
                await daemon.close()
            }
            defer { group.cancelAll() }
            while !condition(purchase) {
                guard let notification = try await notifications.next() else { break }
                let before = purchase.standing
                if purchase.take(notification), purchase.standing != before { describe(purchase) }
            }
            return purchase
        }
    }

    private func conclude(
        _ purchase: Purchase, _ daemon: PaymentConnection,
        _ notifications: inout ServerNotifications.AsyncIterator,
        _ deadline: ContinuousClock.Instant
    ) async throws {
        var end = purchase
        switch purchase.standing {
        case .failed(let reason):
            try await settle(purchase, daemon)
            throw CommandFailure(
                .refused, "cannot buy '\(product)': the purchase failed: \(reason)",
                advice: finish
                    ? "nothing was paid; \(buyAgain)"
                    : "nothing was paid; take the failed purchase out of the queue with "
                        + "'\(finishing(purchase))', then \(buyAgain)",
                kind: "purchaseFailed", data: purchase.summary(key: purchaseKey))
        case .discarded(let reason):
            throw CommandFailure(
                .refused, "cannot buy '\(product)': it left the queue: \(reason)",
                advice: buyAgain, kind: "purchaseRemoved",
                data: purchase.summary(key: purchaseKey))
        case .paid where finish:
            try await settle(purchase, daemon)
            end.delivered()
            end = try await followDelivered(end, &notifications, daemon, deadline)
        case .completing where finish:
            end = try await followDelivered(end, &notifications, daemon, deadline)
        case .paid:
            let isLater = purchase.snapshot?["offer"]?.stringValue == "scheduled"
            if let worker = await worker() {
                say("next", "nothing to do: '\(worker)' is connected to deliver and finish it")
            } else {
                say(
                    "next",
                    (isLater ? "nothing to deliver yet; finish it: " : "deliver the goods, then: ")
                        + finishing(purchase))
            }
        case .refunded(let refund):
            try await settle(purchase, daemon)
            throw CommandFailure(
                .refused, "cannot buy '\(product)': it was \(refund)",
                advice: finish
                    ? "do not unlock it; \(buyAgain)"
                    : "do not unlock it, but finish it: '\(finishing(purchase))'",
                kind: "purchaseRefunded", data: purchase.summary(key: purchaseKey))
        case .completing, .finished, .waiting:
            break
        }
        if output.json { Console.line(end.summary(key: purchaseKey).jsonText()) }
    }

    /// A key belongs to its purchase forever, also after the purchase has ended.
    private var buyAgain: String { key == nil ? "buy again" : "buy again with another key" }

    /// The name of another observer that receives the purchase for delivery; nil if there is none.
    private func worker() async -> String? {
        let answer = try? await AnswerOptions.ask("observers", connection.path, .seconds(2))
        return ObserverText.worker(for: product, in: answer?.plain ?? .null)
    }

    /// Follows a delivered purchase until it leaves the queue. Payment and finish are already on
    /// the daemon's disk, so no later event is a failure.
    private func followDelivered(
        _ purchase: Purchase, _ notifications: inout ServerNotifications.AsyncIterator,
        _ daemon: PaymentConnection, _ deadline: ContinuousClock.Instant
    ) async throws -> Purchase {
        do {
            let last = try await follow(purchase, &notifications, daemon, until: deadline) {
                $0.isRemoved
            }
            if last.isRemoved { return last }
        } catch is ConnectionFailure {
            // The daemon continues the completion after its restart.
        }
        say("next", "nothing left to do: the daemon reports it to the store as soon as it can")
        return purchase
    }

    private func finishing(_ purchase: Purchase) -> String {
        "payqueuectl finish \(purchase.transaction)" + connection.suggestion
    }

    /// Finishes the purchase if the command line requests it.
    private func settle(_ purchase: Purchase, _ daemon: PaymentConnection) async throws {
        guard finish else { return }
        let answer = try await daemon.call(
            "finish", ["transaction": .string(purchase.transaction)], timeout: patience)
        say("finish", FinishCommand.sentence(answer["disposition"]?.stringValue))
    }

    private func describe(_ purchase: Purchase) {
        let price = purchase.snapshot.map(Self.goods) ?? product
        switch purchase.standing {
        case .waiting(let reason): say("purchasing", reason.map(WaitingText.short) ?? price)
        case .paid: say("purchased", price, .good)
        case .refunded(let refund): say("refunded", refund, .bad)
        case .completing: say("finished", "delivered; being reported to the store", .good)
        case .failed(let reason): say("failed", reason, .bad)
        case .finished: say("finished", "delivered; it left the queue", .good)
        case .discarded(let reason): say("removed", reason, .bad)
        }
    }

    /// The product, its price, and the reason for a different charge.
    private static func goods(_ snapshot: JSONValue) -> String {
        let price = snapshot["payment"]?["product"]?["price"]
        return ([EventText.goods(snapshot)] + ChargeText.notes(snapshot, price: price))
            .joined(separator: "  ")
    }

    private func stillWaiting(_ purchase: Purchase) async -> CommandFailure {
        let seconds = timeout.defaultValueDescription
        var reason: String?
        if case .waiting(let word) = purchase.standing { reason = word }
        let trouble = reason == "store" ? await storeTrouble() : nil
        let what = trouble?.sentence ?? reason.map(WaitingText.short) ?? "it is in progress"
        return CommandFailure(
            .timeRanOut, "cannot buy '\(product)' within \(seconds) s: \(what)",
            advice: WaitingText.advice(
                trouble?.waitsFor ?? reason, transaction: purchase.transaction,
                connection: connection.suggestion),
            data: purchase.summary(key: purchaseKey))
    }

    private func say(_ word: String, _ text: String, _ style: Console.Style = .quiet) {
        guard !output.json else { return }
        let missing = max(0, 11 - word.count)
        Console.line(
            Console.styled(word, style) + String(repeating: " ", count: missing) + text)
    }

    /// A random idempotency key.
    static func freshKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let parts = [generator.next(), generator.next()] as [UInt64]
        return "ctl-"
            + parts.map { part in
                let digits = String(part, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            }.joined()
    }
}
