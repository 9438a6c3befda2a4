import PaymentClient
import StrictJSON

/// An error of the daemon, or of the way to it, as a sentence.
enum ErrorText {
    /// The action, its object and why it failed; without a full stop. The code is for looking it
    /// up.
    ///
    /// - Parameters:
    ///   - error: What the daemon answered.
    ///   - action: What was tried, to follow "cannot".
    /// - Returns: The sentence.
    static func sentence(for error: RPCError, action: String) -> String {
        let about = subjects(of: error).filter { !action.contains("'\($0.text)'") }
            .map { "\($0.name) '\($0.text)', " }.joined()
        // An error that answers no request says nothing about a method.
        let method = error.method.contains(" ") ? "" : " of '\(error.method)'"
        // Names that other clients chose may stand in the daemon's words.
        return ScreenText.plain(
            "cannot \(action): \(reason(of: error)) (\(about)code \(error.code)\(method))")
    }

    /// The same for a connection that could not be made, broke, or stayed silent.
    static func sentence(for failure: ConnectionFailure, action: String) -> String {
        failure.kind == .notConnected
            ? failure.description : "cannot \(action): \(failure.description)"
    }

    /// The daemon's own words; those that the specification has for programs are put into English.
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
        // In the middle of a sentence; a name in capitals keeps them.
        guard let first = own.first, own.dropFirst().first?.isUppercase != true else {
            return String(own)
        }
        return first.lowercased() + own.dropFirst()
    }

    /// The object of the call, as the daemon names it.
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
