import ArgumentParser
import FoundationEssentials
import PaymentCore
import PaymentHistory

/// What a publisher's server does, by hand.
struct MerchantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchant", abstract: "Ask the Merchant API as a publisher's server does.",
        usage: "payqueuectl merchant history <order> --store URL --merchant ID --key KID",
        subcommands: [MerchantHistoryCommand.self])
}

/// Asks for the history of an order, verifies and shows it.
struct MerchantHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Ask the store for the history of an order, verify it and show it.",
        usage: """
            payqueuectl merchant history <order> --store https://store.example \\
                --merchant mer_… --key key_… --secret-file secret
            """,
        discussion: """
            The Merchant Secret is read from a file that nobody else may read, never from the \
            command line. A token is made for each page and holds for 30 seconds.

            Exit status: 0 verified, 1 refused or not to be believed, 2 no connection.
            """)

    @Argument(help: "The order: the transactionIdentifier of a transaction.")
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
            "The store's JSON Web Key Set; the store's own without it.", valueName: "file or URL"),
        completion: .file())
    var keys: String?

    @Flag(help: "Print what was signed, each page as one line of JSON.")
    var json = false

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
        var history = HistoryText(keys: try HistoryText.keySet(bytes, from: place), json: json)
        try history.verify(String(decoding: page.body, as: UTF8.self))
        while let next = page.next {
            page = try await self.page(at: next, isLater: true)
            try history.verify(String(decoding: page.body, as: UTF8.self))
        }
        guard history.holds(order) else {
            throw CommandFailure(
                .refused, "cannot believe the answer for order '\(order)': the order is not in it",
                advice: "check the store's address")
        }
        history.lines.forEach(Console.line)
    }

    /// Asks for a page, with a token of its own.
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
                .refused, "cannot show order '\(order)': a page of the history is gone",
                advice: "ask again")
        case 404:
            throw CommandFailure(
                .refused, "cannot show order '\(order)': the store has no such order",
                advice: "check the order, and that it is of this store")
        case 429:
            throw CommandFailure(
                .refused, "cannot ask '\(store)' for order '\(order)': it was asked too often",
                advice: "try again later")
        default:
            throw CommandFailure(
                .refused,
                "cannot ask '\(store)' for order '\(order)': it answered with status "
                    + "\(answer.status)", advice: "check the address; the store's log may say more")
        }
    }

    /// Clocks differ: the token begins a little earlier.
    private static var now: Timestamp {
        let seconds = Int64(Date().timeIntervalSince1970) - 5
        return Timestamp(milliseconds: seconds * 1000)
    }
}
