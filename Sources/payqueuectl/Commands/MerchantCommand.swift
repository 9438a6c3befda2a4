import ArgumentParser
import FoundationEssentials
import PaymentCore
import PaymentHistory

/// Queries the Merchant API.
struct MerchantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchant", abstract: "Query the Merchant API as a publisher's server.",
        usage: "payqueuectl merchant history ORDER --store URL --merchant ID --key KID",
        subcommands: [MerchantHistoryCommand.self])
}

/// Fetches, verifies and shows the history of an order.
struct MerchantHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Fetch, verify and show the history of an order.",
        usage: """
            payqueuectl merchant history ac42cc96-19b4-4431-8fe3-1b4d3f1f5736 \\
                --store https://store.example --merchant mer_1 --key key_1 \\
                --secret-file secret
            """,
        discussion: """
            The Merchant Secret is read from a file that only its owner can read. The order is a \
            whole id: no daemon is asked.

            Exit status: 0 verified, 1 refused or not verified, 2 no connection.
            """)

    @Argument(help: "The order (transactionIdentifier of a transaction).")
    var order: String

    @Option(help: ArgumentHelp("The store's address.", valueName: "URL"))
    var store: String

    @Option(help: ArgumentHelp("The Merchant ID.", valueName: "id"))
    var merchant: String

    @Option(help: ArgumentHelp("The Secret Key ID.", valueName: "kid"))
    var key: String

    @Option(
        help: ArgumentHelp("The file with the Merchant Secret.", valueName: "file"),
        completion: .file())
    var secretFile: String

    @Option(
        help: ArgumentHelp(
            "JSON Web Key Set (default: the store's).", valueName: "file or URL"),
        completion: .file())
    var keys: String?

    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("How long to wait for each answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    func run() async throws {
        guard OrderID(order) != nil else {
            throw CommandFailure(
                .usage, "cannot ask for order '\(order)': it is not a UUID in small letters",
                advice: "take the 'transactionIdentifier' of a transaction")
        }
        let base = store.hasSuffix("/") ? String(store.dropLast()) : store
        let first = "/merchant-api/v1/purchases/in-app/history/\(order)"
        var page = try await page(at: base + first)
        let place = keys ?? base + "/.well-known/jwks.json"
        let bytes = try await Source.bytes(
            of: place, limit: KeySet.limitBytes, timeout: timeout.duration)
        var history = HistoryText(
            keys: try HistoryText.keySet(bytes, from: place), json: output.json)
        try history.verify(String(decoding: page.body, as: UTF8.self))
        while let next = page.next {
            page = try await self.page(at: next, isLater: true)
            try history.verify(String(decoding: page.body, as: UTF8.self))
        }
        guard history.holds(order) else {
            throw CommandFailure(
                .refused, "cannot verify the answer for order '\(order)': the order is not in it",
                advice: "check the store's address")
        }
        history.lines(width: Console.columns).forEach(Console.line)
    }

    /// Fetches a page with a new token.
    private func page(
        at address: String, isLater: Bool = false
    ) async throws -> WebPage {
        let secret = try PrivateFile.text(
            secretFile, what: "the Merchant Secret", trimming: \.isWhitespace)
        let token = MerchantToken.make(
            merchant: merchant, keyID: key, secret: secret,
            id: UUID().uuidString.lowercased(),
            now: Self.now)
        let answer = try await WebPage.fetch(
            address, headers: [("Authorization", "Bearer " + token)], limit: 64 << 20,
            timeout: timeout.duration)
        switch answer.status {
        case 200: return answer
        case 401:
            throw CommandFailure(
                .refused,
                "cannot ask '\(store)' for order '\(order)': it does not accept the token",
                advice: "check merchant, key, secret and this machine's clock; the store's log "
                    + "has the reason")
        case 404 where isLater:
            throw CommandFailure(
                .refused, "cannot show order '\(order)': a page of the history has expired",
                advice: "run the command again")
        case 404:
            throw CommandFailure(
                .refused, "cannot show order '\(order)': the store has no such order",
                advice: "check the order and the store's address")
        case 429:
            throw CommandFailure(
                .refused, "cannot ask '\(store)' for order '\(order)': too many requests",
                advice: "try again later")
        default:
            throw CommandFailure(
                .refused,
                "cannot ask '\(store)' for order '\(order)': it answered with status "
                    + "\(answer.status)", advice: "check the address; the store's log may say more")
        }
    }

    /// The current time less five seconds, because the clocks of client and server differ.
    private static var now: Timestamp {
        let seconds = Int64(Date().timeIntervalSince1970) - 5
        return Timestamp(milliseconds: seconds * 1000)
    }
}
