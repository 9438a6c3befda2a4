import ArgumentParser
import PaymentClient
import PaymentCore
import PaymentHistory
import StrictJSON

/// Fetches or verifies the signed history.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Fetch or verify the signed purchase history.",
        usage: """
            payqueuectl history > history.jws
            payqueuectl history verify [history.jws]
            """,
        subcommands: [FetchHistoryCommand.self, VerifyHistoryCommand.self],
        defaultSubcommand: FetchHistoryCommand.self)
}

/// Prints the signed history.
struct FetchHistoryCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Print the signed history, newest purchases first.",
        usage: """
            payqueuectl history fetch > history.jws
            payqueuectl history fetch [--limit N] [--page PAGE] [--json]
            """,
        discussion: """
            Prints the history of the logged-in account, one line for each page; each line is a \
            JWS. --limit or --page prints one page, and standard error shows how to get the next.
            """)

    @Option(help: ArgumentHelp("Maximum number of purchases on the page.", valueName: "number"))
    var limit: Int?

    @Option(help: ArgumentHelp("The page token from the previous page.", valueName: "page"))
    var page: String?

    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("How long to wait for each page.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    var action: String { "fetch the history" }
    var help: String { "payqueuectl history fetch --help" }

    func run() async throws {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            let pages = daemon.historyPages(
                limit: limit, from: page.map { OpaqueText($0) }, timeout: timeout.duration)
            for try await page in pages {
                Console.line(output.json ? answer(page).jsonText() : page.jws)
                guard limit == nil, self.page == nil else {
                    if let next = page.next { tell(next) }
                    return
                }
            }
        }
    }

    private func answer(_ page: SignedHistory) -> JSONValue {
        .parameters([
            ("jws", .string(page.jws)), ("kid", .string(page.keyID)),
            ("alg", .string(page.algorithm)), ("next", page.next.map { .string($0.string) }),
        ]) ?? .null
    }

    private func tell(_ next: OpaqueText) {
        let limit = limit.map { " --limit \($0)" } ?? ""
        Console.remark(
            "There are older purchases: payqueuectl history\(limit) --page "
                + Shell.quoted(ScreenText.plain(next.string)))
    }
}

/// Verifies a signed history and shows it.
struct VerifyHistoryCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a signed history and show its purchases.",
        usage: """
            payqueuectl history verify
            payqueuectl history verify history.jws --keys https://store.example/jwks
            """,
        discussion: """
            Verifies the daemon's history unless files are named; a file has one page per line, - \
            is standard input. Uses the keys of the daemon's store unless --keys is given. --json \
            prints what was signed, one line for each page.

            Exit status: 0 verified, 1 not verified, 2 no connection.
            """)

    @Argument(help: "Files with pages, or -.", completion: .file())
    var files: [String] = []

    @Option(
        help: ArgumentHelp("The store's JSON Web Key Set.", valueName: "file or URL"),
        completion: .file())
    var keys: String?

    @Option(
        help: ArgumentHelp(
            "Fail unless it has this order, not revoked or expired.", valueName: "order"))
    var order: String?

    @OptionGroup var table: TableOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("How long to wait for each answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    var action: String { "verify the history" }
    var help: String { "payqueuectl history verify --help" }

    /// The maximum size of a history file, in bytes.
    private static let limitBytes = 1 << 30

    func run() async throws {
        var history: HistoryText
        if files.isEmpty {
            history = try await ofDaemon()
        } else {
            let files = try files.map { file in
                try Source.bytes(ofFile: file, limit: Self.limitBytes)
            }
            history = HistoryText(keys: try await keySet(), json: output.json)
            for file in files { try history.verify(lines: file) }
        }
        if let order { try history.requireEntitling(order, action: action) }
        history.lines(width: table.columns).forEach(Console.line)
    }

    private func ofDaemon() async throws -> HistoryText {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            var pages = daemon.historyPages(timeout: timeout.duration).makeAsyncIterator()
            var page = try await pages.next()
            var history = HistoryText(keys: try await keySet(), json: output.json)
            while let known = page {
                try history.verify(known.jws)
                page = try await pages.next()
            }
            return history
        }
    }

    private func keySet() async throws -> KeySet {
        guard let keys else {
            let answer = try await AnswerOptions.ask("keys", connection.path, timeout.duration)
            return try HistoryText.keySet(Array(answer.jsonText().utf8), from: "the daemon")
        }
        let bytes = try await Source.bytes(
            of: keys, limit: KeySet.limitBytes, timeout: timeout.duration)
        return try HistoryText.keySet(bytes, from: keys)
    }
}

extension AnswerOptions {
    /// Calls a method without parameters on a separate connection.
    static func ask(
        _ method: String, _ path: String, _ timeout: Duration
    ) async throws -> JSONValue {
        try await PaymentConnection.withConnection(to: path, timeout: timeout) { daemon in
            try await daemon.call(method, nil, timeout: timeout)
        }
    }
}
