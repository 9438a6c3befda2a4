import PaymentClient
import StrictJSON

/// What a person can do about an error of the daemon.
enum Advice {
    /// One sentence without a full stop. There is always something to do.
    static func sentence(for error: RPCError) -> String {
        if let nearest = error.data["didYouMean"]?.stringValue {
            return "did you mean '\(nearest)'"
        }
        return service(error) ?? protocolError(error) ?? purchase(error) ?? reading(error)
            ?? account(error) ?? byRetry(error)
    }

    private static func protocolError(_ error: RPCError) -> String? {
        switch error.code {
        case -32700, -32600:
            "see whether program and daemon fit: 'payqueuectl --version', 'payqueuectl ping'"
        case -32601: "list the methods with 'payqueuectl call help'"
        case -32602: "see the parameters with 'payqueuectl call help method=\(error.method)'"
        case -32603: "look at the daemon's log, then send the same again, with the same key"
        case 1002: "install the payqueuectl of the daemon's release; 'payqueuectl ping' names it"
        default: nil
        }
    }

    private static func service(_ error: RPCError) -> String? {
        switch error.code {
        case -32000: "let the calls of this connection end first, then try again"
        case -32001: "send less in one call"
        case -32002: "send the same again, with the same key"
        case -32003: "ask for less, with 'limit'"
        case -32004: "end a subscription, or let the daemon's owner raise the limit"
        case -32005: "end a connection; 'payqueuectl status' shows them"
        case -32006: "wait until the daemon is back; 'payqueuectl drain off' ends a drain"
        case -32007: "ask whoever runs the daemon for the role that the call needs"
        case -32008: "make room on the daemon's disk, then send the same again, with the same key"
        case -32009, -32011:
            "try again later; 'payqueuectl doctor' says what is wrong with the store"
        case -32010: "send the same again"
        default: nil
        }
    }

    private static func purchase(_ error: RPCError) -> String? {
        switch error.code {
        case 1101, 1109: "see what is sold with 'payqueuectl products'"
        case 1102: "use a fresh key for another purchase, or the same parameters for this one"
        case 1103: "let the account's owner allow payments; 'payqueuectl status' says why not"
        case 1104: "log in with 'payqueuectl login NAME', then send the same again"
        case 1105: "finish what is delivered: 'payqueuectl list', 'payqueuectl finish'"
        case 1106: "buy again with a fresh key, and answer the question after the login with yes"
        case 1107: "finish \(blocking(error)) first"
        case 1201, 1204: "see what is there with 'payqueuectl list'"
        case 1401, 1402: "see what is open with 'payqueuectl questions'"
        default: nil
        }
    }

    private static func reading(_ error: RPCError) -> String? {
        switch error.code {
        case 1203: "start with the first page again, without 'page'"
        case 1301: "start again from the oldest record kept, with '--after start'"
        case 1302, 1303:
            "this is another log than the one the cursor is of; start again with '--after start'"
        case 1304: "use another '--name', or end the program that has it"
        case 1305: "see the names with 'payqueuectl call observers'"
        default: nil
        }
    }

    private static func account(_ error: RPCError) -> String? {
        switch error.code {
        case 1501, 1502: "check the account's name and credential"
        case 1504: "log in with 'payqueuectl login NAME'"
        case 1601: "only the sandbox can be told what to do; start payqueued with '--store sandbox'"
        case 1602: "see the orders with 'payqueuectl test orders'"
        case 1603: "register the application with the store"
        case 1701: "correct the file, then try 'payqueuectl reload' again"
        default: nil
        }
    }

    private static func byRetry(_ error: RPCError) -> String {
        switch error.retry {
        case .same: "send the same again, with the same key"
        case .later:
            error.retryAfter.map { "try again in \(Seconds($0).defaultValueDescription) s" }
                ?? "try again later"
        default: "see what the call takes with 'payqueuectl call help method=\(error.method)'"
        }
    }

    private static func blocking(_ error: RPCError) -> String {
        error.data["transaction"]?.stringValue ?? "the transaction that is under way"
    }
}
