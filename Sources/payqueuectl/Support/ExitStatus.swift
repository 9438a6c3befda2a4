import Glibc
import PaymentClient
import StrictJSON

/// The exit status.
enum ExitStatus: Int32 {
    case done = 0
    /// The daemon refused, or a purchase failed.
    case refused = 1
    /// No connection, or it ended.
    case noConnection = 2
    /// The command line makes no sense.
    case usage = 3
    /// The time allowed ran out.
    case timeRanOut = 4
    /// The position of a cursor is gone, or not there yet.
    case cursorUnusable = 5

    /// Files that were to be verified cannot be read; 'journal verify' has no connection to lose.
    static let unreadable = ExitStatus.noConnection

    /// The stable word of a failure that has no other.
    var kind: String {
        switch self {
        case .done: "done"
        case .refused: "refused"
        case .noConnection: "noConnection"
        case .usage: "usage"
        case .timeRanOut: "timedOut"
        case .cursorUnusable: "cursorUnusable"
        }
    }

    /// The status for a connection that failed.
    init(_ failure: ConnectionFailure) {
        self = failure.kind == .timedOut ? .timeRanOut : .noConnection
    }

    /// The status for an error of the daemon.
    init(_ error: RPCError) {
        switch error.code {
        case 1301...1303: self = .cursorUnusable
        case -32002: self = .timeRanOut
        default: self = .refused
        }
    }

    /// Ends the process.
    func exit() -> Never {
        Glibc.exit(rawValue)
    }
}

/// A command could not do what it was asked.
struct CommandFailure: Error {
    /// The status to end with.
    let status: ExitStatus
    /// The action, its object, and why it failed; without a full stop.
    let description: String
    /// The advice; without a full stop.
    let advice: String
    /// The stable word of the failure; nil for that of the status.
    let kind: String?
    /// Further members for programs.
    let data: JSONValue?

    init(
        _ status: ExitStatus, _ description: String, advice: String, kind: String? = nil,
        data: JSONValue? = nil
    ) {
        self.status = status
        self.description = description
        self.advice = advice
        self.kind = kind
        self.data = data
    }
}
