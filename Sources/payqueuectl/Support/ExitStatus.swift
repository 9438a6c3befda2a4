import Glibc
import PaymentClient
import StrictJSON

/// The exit status of the program.
enum ExitStatus: Int32 {
    case done = 0
    /// The daemon refused the call, or a purchase failed.
    case refused = 1
    /// No connection, or the connection was lost.
    case noConnection = 2
    /// The command line is not valid.
    case usage = 3
    /// The timeout passed.
    case timeRanOut = 4
    /// The position of a cursor was trimmed, or does not exist yet.
    case cursorUnusable = 5

    /// Unreadable files in a verification; 'journal verify' uses no connection.
    static let unreadable = ExitStatus.noConnection
    /// The stable name of a failure with unreadable files.
    static let unreadableKind = "unreadable"

    /// The stable name of a failure without a more specific one.
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

    /// Ends the process with this status.
    func exit() -> Never {
        Glibc.exit(rawValue)
    }
}

/// A failed command.
struct CommandFailure: Error {
    /// The exit status.
    let status: ExitStatus
    /// The action, its object and the cause, without a full stop.
    let description: String
    /// The advice, without a full stop.
    let advice: String
    /// The stable name of the failure; nil for that of the status.
    let kind: String?
    /// The effect of the command, if it is not that of the status: `none`, `done` or `unknown`.
    let effect: String?
    /// Additional members for programs.
    let data: JSONValue?

    init(
        _ status: ExitStatus, _ description: String, advice: String, kind: String? = nil,
        effect: String? = nil, data: JSONValue? = nil
    ) {
        self.effect = effect
        self.status = status
        self.description = description
        self.advice = advice
        self.kind = kind
        self.data = data
    }
}
