import StrictJSON

/// What a purchase waits for, in words.
enum WaitingText {
    /// A few words for a list.
    static func short(_ word: String) -> String {
        switch word {
        case "observer": "waits for an observer"
        case "login": "waits for a login"
        case "gate": "waits for an answer"
        case "approval": "waits for an approval"
        case "store": "the store has it"
        default: "waits for \(word)"
        }
    }

    /// What keeps the store from deciding, by what `status` says of it; nil while it answers.
    static func trouble(_ store: JSONValue?) -> String? {
        let store = store?.plain
        guard let state = store?["state"]?.stringValue, state != "available" else { return nil }
        let error = store?["lastError"]?.stringValue.map { ": \($0)" } ?? ""
        let next = store?["nextTryAt"]?.stringValue.map { "; next try at \($0)" } ?? ""
        return "the store is \(Wording.of(state))\(error)\(next)"
    }

    /// The words for a list, of so many purchases, behind their number.
    static func several(_ word: String, count: Int64) -> String {
        let words = short(word)
        if word == "store" { return "at the store" }
        return count == 1 ? words : words.replacing("waits ", with: "wait ")
    }

    /// What brings the purchase on, as a sentence without a full stop.
    static func advice(_ word: String?, connection: String) -> String {
        switch word {
        case "observer":
            "keep a subscriber connected, with 'payqueuectl watch --observe\(connection)'"
        case "login": "log in with 'payqueuectl login NAME\(connection)'"
        case "gate":
            "see 'payqueuectl questions\(connection)', then 'payqueuectl answer QUESTION yes'"
        case "approval":
            "somebody has to approve it at the store; in the sandbox: payqueuectl decide"
        default: "look at the store with 'payqueuectl status\(connection)'"
        }
    }
}
