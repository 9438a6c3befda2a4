import StrictJSON

/// A session that the store has ended, in words, by what `status` says of it.
enum EndedText {
    /// The state as a sentence without a full stop; nil while no session is missing because of the store.
    static func sentence(_ status: JSONValue) -> String? {
        guard let account = account(status) else { return nil }
        let since = status["sessionEnded"]?["at"]?.stringValue.map { " at \($0)" } ?? ""
        return
            "the store ended the session of '\(account)'\(since); its purchases wait for a login"
    }

    /// The advice, without a full stop.
    static func advice(_ status: JSONValue, connection: String) -> String {
        let name = account(status).map { Shell.quoted($0) } ?? "NAME"
        return "log in again with 'payqueuectl login \(name)\(connection)', and --credential-file "
            + "if the account has a credential"
    }

    private static func account(_ status: JSONValue) -> String? {
        status["sessionEnded"]?["account"]?.stringValue
    }
}
