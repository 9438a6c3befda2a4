import PaymentClient
import StrictJSON

/// What a person can do about an error of the daemon.
enum Advice {
    /// One sentence without a full stop, or nil if there is nothing to advise.
    static func sentence(for error: RPCError) -> String? {
        if let nearest = error.data["didYouMean"]?.stringValue {
            return "did you mean '\(nearest)'"
        }
        return byKind(error) ?? byRetry(error)
    }

    private static func byKind(_ error: RPCError) -> String? {
        switch error.kind {
        case "unknownProduct": "see what is sold with 'payqueuectl products'"
        case "keyReuse": "use a fresh key for another purchase, or the same parameters for this one"
        case "alreadyLive": "finish \(blocking(error)) first"
        case "unknownAccount", "badCredential": "check the account's name and credential"
        case "notLoggedIn": "log in with 'payqueuectl login NAME'"
        case "methodNotFound": "list the methods with 'payqueuectl call help'"
        case "missingParam", "unknownParam", "wrongType", "outOfRange", "tooLong":
            "see the parameters with 'payqueuectl call help method=\(error.method)'"
        case "cursorTooOld": "start again from the oldest record kept, with '--after start'"
        case "cursorAhead", "otherEpoch":
            "this is another log than the one the cursor is of; start again with '--after start'"
        case "forbidden": "ask whoever runs the daemon for the role that the call needs"
        case "notDurable": "make room on the daemon's disk, or look at its log"
        default: nil
        }
    }

    private static func byRetry(_ error: RPCError) -> String? {
        switch error.retry {
        case .same: "send the same again, with the same key"
        case .later: "try again \(error.retryAfter.map { "in \($0)" } ?? "later")"
        default: nil
        }
    }

    private static func blocking(_ error: RPCError) -> String {
        error.data["transaction"]?.stringValue ?? "the transaction that is under way"
    }
}
