import PaymentClient
import StrictJSON

/// The sentence for an error of the daemon or of the connection.
enum ErrorText {
    /// The action, its object and the cause, without a full stop. The error code helps to look it
    /// up.
    ///
    /// - Parameters:
    ///   - error: The error of the daemon.
    ///   - action: The attempted action, which follows "cannot".
    /// - Returns: The sentence.
    static func sentence(for error: RPCError, action: String) -> String {
        let about = subjects(of: error).filter { !action.contains("'\($0.text)'") }
            .map { "\($0.name) '\($0.text)', " }.joined()
        // An error without a request has no method.
        let method = error.method.contains(" ") ? "" : " of '\(error.method)'"
        // The daemon's message may contain names that other clients chose.
        return ScreenText.plain(
            "cannot \(action): \(reason(of: error)) (\(about)code \(error.code)\(method))")
    }

    /// The sentence for a connection that failed, broke or timed out.
    static func sentence(for failure: ConnectionFailure, action: String) -> String {
        failure.kind == .notConnected
            ? failure.description : "cannot \(action): \(failure.description)"
    }

    /// The daemon's message. Standard JSON-RPC messages are replaced by sentences.
    private static func reason(of error: RPCError) -> String {
        let words = error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]
        switch words {
        case "Parse error": return "the daemon could not parse the request"
        case "Invalid Request": return "the daemon does not understand the request"
        case "Method not found": return "the daemon has no such method"
        case "Invalid params": return "the daemon does not accept these values"
        case "Internal error": return "the daemon failed while handling this"
        default: break
        }
        let prefix = "Invalid params: "
        let own = words.hasPrefix(prefix) ? words.dropFirst(prefix.count) : words
        // The text continues a sentence; a name in capitals stays unchanged.
        guard let first = own.first, own.dropFirst().first?.isUppercase != true else {
            return String(own)
        }
        return first.lowercased() + own.dropFirst()
    }

    /// The objects of the call that the error names.
    private static func subjects(of error: RPCError) -> [(name: String, text: String)] {
        let names = [
            "product", "transaction", "restore", "question", "account", "order", "name", "file",
            "path", "key", "need", "incident",
        ]
        let found = names.lazy.compactMap { name in
            error.data[name]?.stringValue.map { (name: name, text: $0) }
        }.first { !$0.text.isEmpty && !error.message.contains("'\($0.text)'") }
        return found.map { [($0.name == "need" ? "role" : $0.name, $0.text)] } ?? []
    }
}
