import PaymentClient
import StrictJSON

/// The advice for errors of the daemon.
enum Advice {
    /// One sentence without a full stop. Every error has advice.
    ///
    /// - Parameters:
    ///   - error: The error of the daemon.
    ///   - help: The command that shows the help.
    /// - Returns: The sentence.
    static func sentence(for error: RPCError, help: String) -> String {
        if let nearest = error.data["didYouMean"]?.stringValue {
            return "say '\(nearest)' instead"
        }
        return service(error) ?? protocolError(error, help) ?? purchase(error) ?? reading(error)
            ?? account(error) ?? byRetry(error, help)
    }

    /// The advice, with the connection options added to its commands.
    ///
    /// - Parameters:
    ///   - advice: A sentence with commands in quotation marks.
    ///   - connection: The socket option with a leading space; empty for none.
    /// - Returns: The sentence. Commands that name a socket, or need no daemon, stay unchanged.
    static func reaching(_ advice: String, connection: String) -> String {
        guard !connection.isEmpty else { return advice }
        var text = ""
        var rest = advice[...]
        while let start = rest.firstRange(of: "'payqueuectl ") {
            text += rest[..<start.upperBound]
            let command = rest[start.upperBound...].prefix { $0 != "'" }
            text += command
            // Options cannot be appended after a quoted word.
            if asksDaemon(command), command.last != " " { text += connection }
            rest = rest[command.endIndex...]
        }
        return text + rest
    }

    private static func asksDaemon(_ command: Substring) -> Bool {
        let name = command.prefix { $0 != " " }
        let others = ["journal", "restore-backup", "merchant", "manual", "demo", "help"]
        return !name.hasPrefix("-") && !others.contains(String(name))
            && !command.contains("--socket") && !command.contains("--help")
    }

    private static func protocolError(_ error: RPCError, _ help: String) -> String? {
        switch error.code {
        case -32600 where error.kind == "noCluster":
            "start the daemon with '--journal etcd://HOST:PORT/PREFIX' to share its queue"
        case -32700, -32600:
            "compare the versions of 'payqueuectl --version' and, for the daemon, 'payqueuectl doctor'"
        case -32601: "list the daemon's methods with 'payqueuectl call help'"
        case -32602: "see its parameters with '\(help)'"
        case -32603: "check the daemon's log, then repeat it with the same key"
        case 1002: "install the payqueuectl of the daemon's release; 'payqueuectl doctor' names it"
        default: nil
        }
    }

    private static func service(_ error: RPCError) -> String? {
        switch error.code {
        case -32000: "wait for earlier calls to end, then try again"
        case -32001: "send less in one call"
        case -32002: "repeat it with the same key"
        case -32003: "request less, with 'limit'"
        case -32004:
            "end one, 'payqueuectl observers' lists them, or ask for a higher limit"
        case -32005: "disconnect a program, or ask the daemon's administrator for a higher limit"
        case -32006: "wait until the daemon is back, or end a drain with 'payqueuectl drain off'"
        case -32007: "ask the daemon's administrator for the role that the call needs"
        case -32008 where error.kind == "readOnly":
            "make the disk writable and start payqueued without --read-only, then repeat it"
        case -32008: "free space on the daemon's disk, then repeat it with the same key"
        case -32009, -32011:
            "try again later; 'payqueuectl doctor' checks the store"
        case -32010: "repeat it"
        case -32012: "wait for the time that the error names, then try the right credential"
        case -32013:
            "wait until something has ended, or ask the daemon's administrator for a higher "
                + "limit; 'payqueuectl status' shows what is open"
        case -32015:
            "repeat it with the same key in a moment; if that does not help, 'payqueuectl journal "
                + "verify --deep' names the damaged file"
        default: nil
        }
    }

    private static func purchase(_ error: RPCError) -> String? {
        switch error.code {
        case 1101, 1109: "list what is sold with 'payqueuectl products'"
        case 1102: "use another key for another purchase, or the same parameters for this one"
        case 1103:
            "ask the account's owner to allow payments; 'payqueuectl status' shows the reason"
        case 1104: "log in with 'payqueuectl login NAME', then repeat it"
        case 1105: "list what is unfinished with 'payqueuectl list', and finish what is delivered"
        case 1106: "buy again with another key, and answer the question after the login with yes"
        case 1107: "finish the earlier transaction first: 'payqueuectl finish \(blocking(error))'"
        case 1201:
            error.method == "wait"
                ? "list the transactions with 'payqueuectl list', and restores with 'payqueuectl "
                    + "status'; the id of a restore follows '--restore'"
                : "list the transactions with 'payqueuectl list'; six characters of an id are enough"
        case 1204:
            error.method.hasPrefix("test.")
                ? "list the orders and their states with 'payqueuectl test orders'"
                : "list purchases that wait for approval with 'payqueuectl list --state purchasing'"
        case 1401, 1402: "list open questions with 'payqueuectl questions'"
        default: nil
        }
    }

    private static func reading(_ error: RPCError) -> String? {
        switch error.code {
        case 1203: "start again at the first page, without 'page'"
        case 1301: "start at the oldest record: 'payqueuectl watch --after start'"
        case 1302, 1303:
            "the log was replaced; start again with 'payqueuectl watch --after start'"
        case 1304: "use another '--name', or end the program that uses this one"
        case 1305: "list the names with 'payqueuectl observers'"
        default: nil
        }
    }

    private static func account(_ error: RPCError) -> String? {
        switch error.code {
        case 1501, 1502: "check the account's name and credential"
        case 1504: "log in with 'payqueuectl login NAME'"
        case 1601: "this works with the sandbox only; start payqueued with '--store sandbox'"
        case 1602: "list the orders with 'payqueuectl test orders'"
        case 1603: "ask the store's operator to register this application's bundle id"
        case 1701: "correct the file, then try 'payqueuectl reload' again"
        default: nil
        }
    }

    private static func byRetry(_ error: RPCError, _ help: String) -> String {
        switch error.retry {
        case .same: "repeat it with the same key"
        case .later:
            error.retryAfter.map { "try again in \(Seconds($0).defaultValueDescription) s" }
                ?? "try again later"
        default: "see its parameters with '\(help)'"
        }
    }

    private static func blocking(_ error: RPCError) -> String {
        error.data["transaction"]?.stringValue ?? "TRANSACTION"
    }
}
