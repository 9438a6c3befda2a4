import ArgumentParser
import PaymentClient
import PaymentCore
import PaymentHistory
import StrictJSON

/// What the store signs.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Verify what the store says an account has paid for.",
        usage: "payqueuectl history verify", subcommands: [VerifyHistoryCommand.self])
}

/// Verifies a signed history and shows it.
struct VerifyHistoryCommand: AsyncParsableCommand, Errand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a signed history and show what is in it.",
        usage: """
            payqueuectl history verify
            payqueuectl history verify history.jws --keys https://store.example/jwks
            """,
        discussion: """
            Without a file the history is the daemon's, of the account in session; - reads standard \
            input. Without --keys the keys are those that the daemon has from its store.

            Exit status: 0 verified, 1 not to be believed, 2 no connection.
            """)

    @Argument(help: "A file with the JWS, or -.", completion: .file())
    var file: String?

    @Option(
        help: ArgumentHelp("The store's JSON Web Key Set.", valueName: "file or URL"),
        completion: .file())
    var keys: String?

    @Option(
        help: ArgumentHelp(
            "Fail unless this order is in it, neither revoked nor expired.", valueName: "order"))
    var order: String?

    @Flag(help: "Print what was signed, as one line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("How long to wait for each answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    var errand: String { "verify the history" }
    var help: String { "payqueuectl history verify --help" }

    func run() async throws {
        let jws = try await text()
        let verified = try HistoryText.verify(jws, keys: try await keySet())
        if let order { try HistoryText.requireEntitling(order, in: verified.history) }
        if json {
            Console.line(String(decoding: verified.history.jsonBytes, as: UTF8.self))
        } else {
            HistoryText.lines(verified.history, key: verified.key).forEach(Console.line)
        }
    }

    private func text() async throws -> String {
        guard let file else {
            let answer = try await AnswerOptions.ask(
                "signedHistory", connection.path, timeout.duration)
            guard let jws = answer["jws"]?.stringValue else {
                throw CommandFailure(
                    .refused, "cannot verify the history: the daemon answered without one",
                    advice: "see whether the store answers with 'payqueuectl doctor'")
            }
            return jws
        }
        return String(decoding: try Source.bytes(ofFile: file, limit: 64 << 20), as: UTF8.self)
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
    /// Calls one method without parameters on a connection of its own.
    static func ask(
        _ method: String, _ path: String, _ timeout: Duration
    ) async throws -> JSONValue {
        try await PaymentConnection.withConnection(to: path, timeout: timeout) { daemon in
            try await daemon.call(method, nil, timeout: timeout)
        }
    }
}
