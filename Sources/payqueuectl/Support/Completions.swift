import ArgumentParser
import PaymentClient
import StrictJSON

/// The shell completions from the running daemon. Without a daemon there are none, and no message
/// is printed.
enum Completions {
    /// The timeout of each call, because a user is waiting for the completion.
    private static let patience = Duration.milliseconds(500)

    /// The kind of words.
    enum Kind {
        case products
        case transactions
        case accounts
        case questions
        case restores
    }

    /// The possible words.
    ///
    /// - Parameters:
    ///   - kind: The kind of words.
    ///   - line: The command line so far, which may name the socket.
    /// - Returns: The words; empty if the daemon does not answer.
    static func words(_ kind: Kind, line: [String]) async -> [String] {
        let path = SocketPath.find(CommandWords.value(of: "--socket", "-s", in: line))
        do {
            return try await PaymentConnection.withConnection(to: path, timeout: patience) {
                try await words(kind, on: $0)
            }
        } catch {
            // A message would appear in the middle of the command line.
            return []
        }
    }

    private static func words(_ kind: Kind, on daemon: PaymentConnection) async throws -> [String] {
        func ask(_ method: String) async throws -> JSONValue {
            try await daemon.call(method, timeout: patience)
        }
        func texts(_ answer: JSONValue, _ list: String, _ member: String) -> [String] {
            (answer[list]?.arrayValue ?? []).compactMap { $0[member]?.stringValue }
        }
        switch kind {
        case .products:
            return try await ProductNames.all(daemon, timeout: patience)
        case .transactions:
            return texts(try await ask("transactions"), "transactions", "id")
        case .questions:
            return texts(try await ask("questions"), "questions", "question")
        case .restores:
            return texts(try await ask("status"), "restores", "id")
        case .accounts:
            let status = try await ask("status")
            let known = [status["account"], status["sessionEnded"]?["account"]]
                .compactMap { $0?.stringValue }
            // Only a sandbox lists its orders, and only to clients that may control it.
            let orders = (try? await ask("test.orders")) ?? .null
            return Set(known + texts(orders, "orders", "account")).sorted()
        }
    }
}

extension CompletionKind {
    /// Products of the catalogue.
    static var products: CompletionKind { daemon(.products) }
    /// Unfinished transactions.
    static var transactions: CompletionKind { daemon(.transactions) }
    /// Accounts in the daemon's status and orders.
    static var accounts: CompletionKind { daemon(.accounts) }
    /// Open questions.
    static var questions: CompletionKind { daemon(.questions) }
    /// Restores that are running.
    static var restores: CompletionKind { daemon(.restores) }

    private static func daemon(_ kind: Completions.Kind) -> CompletionKind {
        .custom { line, _, _ in await Completions.words(kind, line: line) }
    }
}
