import StrictJSON

/// The conditions that purchases wait for, as text.
enum WaitingText {
    /// A short text for a list.
    static func short(_ word: String) -> String {
        switch word {
        case "observer": "waiting for an observer"
        case "login": "waiting for a login"
        case "gate": "waiting for an answer"
        case "approval": "waiting for approval"
        case "store": "submitted to the store"
        default: "waiting for \(word)"
        }
    }

    /// The reason why the store does not decide, from `status`; nil while it answers.
    static func trouble(_ store: JSONValue?) -> String? {
        let store = store?.plain
        guard let state = store?["state"]?.stringValue, state != "available" else { return nil }
        let error = store?["lastError"]?.stringValue.map { ": \($0)" } ?? ""
        let next = store?["nextTryAt"]?.stringValue.map { "; next try at \($0)" } ?? ""
        return "the store is \(Wording.of(state))\(error)\(next)"
    }

    /// The advice that lets a waiting purchase continue, without a full stop.
    ///
    /// - Parameters:
    ///   - word: The word of the daemon for what it waits for.
    ///   - transaction: The id of the purchase; nil if none is known.
    ///   - connection: The words that name the socket, with a blank before them; empty for none.
    /// - Returns: The advice.
    static func advice(_ word: String?, transaction: String?, connection: String) -> String {
        switch word {
        case "observer":
            "keep an observer connected, for example 'payqueuectl watch --observe\(connection)'"
        case "login": "log in with 'payqueuectl login NAME\(connection)'"
        case "gate":
            "list the question with 'payqueuectl questions\(connection)', then answer it with "
                + "'payqueuectl answer QUESTION yes\(connection)'"
        case "approval":
            "approve it in the store; in the sandbox with "
                + "'payqueuectl decide \(transaction ?? "TRANSACTION") approve\(connection)'"
        default: "check the store with 'payqueuectl status\(connection)'"
        }
    }
}
