import StrictJSON

/// The text about a session that the store has ended, from `status`.
enum EndedText {
    /// A sentence without a full stop; nil if the store has not ended a session.
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
