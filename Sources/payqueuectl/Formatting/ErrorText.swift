import PaymentClient
import StrictJSON

/// An error of the daemon as a sentence.
enum ErrorText {
    /// What was tried, on what and why it failed; without a full stop. The code is for looking it
    /// up.
    static func sentence(for error: RPCError) -> String {
        let reason = error.message.hasSuffix(".") ? error.message.dropLast() : error.message[...]
        let subject = subject(of: error)
        return "cannot do '\(error.method)'\(subject): \(reason) (code \(error.code))"
    }

    /// What the call was about, as the daemon names it.
    private static func subject(of error: RPCError) -> String {
        let names = [
            "product", "transaction", "restore", "question", "account", "order", "name", "file",
            "path", "key",
        ]
        for name in names {
            if let text = error.data[name]?.stringValue, !text.isEmpty {
                return " on \(name) '\(text)'"
            }
        }
        return ""
    }
}
