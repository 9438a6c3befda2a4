import PaymentClient
import StrictJSON

/// What a person can do about an error of the daemon.
enum Advice {
    /// One sentence without a full stop. There is always something to do.
    ///
    /// - Parameters:
    ///   - error: What the daemon answered.
    ///   - help: What to type to learn what the command takes.
    /// - Returns: The sentence.
    static func sentence(for error: RPCError, help: String) -> String {
        if let nearest = error.data["didYouMean"]?.stringValue {
            return "say '\(nearest)' instead"
        }
        return service(error) ?? protocolError(error, help) ?? purchase(error) ?? reading(error)
            ?? account(error) ?? byRetry(error, help)
    }

    /// The advice with the commands in it made to talk to the same daemon.
    ///
    /// - Parameters:
    ///   - advice: A sentence; commands stand in quotation marks.
    ///   - connection: The words that name the socket, with a blank before them; empty for none.
    /// - Returns: The sentence; commands that name a socket already, or ask no daemon, stay.
    static func reaching(_ advice: String, connection: String) -> String {
        guard !connection.isEmpty else { return advice }
        var text = ""
        var rest = advice[...]
        while let start = rest.firstRange(of: "'payqueuectl ") {
            text += rest[..<start.upperBound]
            let command = rest[start.upperBound...].prefix { $0 != "'" }
            text += command
            // Behind a word in quotation marks of its own nothing can be put.
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
        case -32700, -32600:
            "compare the versions: 'payqueuectl --version' and, of the daemon, 'payqueuectl doctor'"
        case -32601: "list what this daemon can do with 'payqueuectl call help'"
        case -32602: "see what it takes with '\(help)'"
        case -32603: "look at the daemon's log, then send the same again, with the same key"
        case 1002: "install the payqueuectl of the daemon's release; 'payqueuectl doctor' names it"
        default: nil
        }
    }

    private static func service(_ error: RPCError) -> String? {
        switch error.code {
        case -32000: "let the calls of this connection end first, then try again"
        case -32001: "send less in one call"
        case -32002: "send the same again, with the same key"
        case -32003: "ask for less, with 'limit'"
        case -32004:
            "end one, 'payqueuectl observers' lists them, or let the daemon's owner raise the limit"
        case -32005: "end a program that is connected, or let the daemon's owner raise the limit"
        case -32006: "wait until the daemon is back; 'payqueuectl drain off' ends a drain"
        case -32007: "ask whoever runs the daemon for the role that the call needs"
        case -32008: "make room on the daemon's disk, then send the same again, with the same key"
        case -32009, -32011:
            "try again later; 'payqueuectl doctor' says what is wrong with the store"
        case -32010: "send the same again"
        case -32013:
            "wait until something has ended, or let the daemon's owner raise the limit; "
                + "'payqueuectl status' says what is open"
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
        case 1107: "deliver it, then 'payqueuectl finish \(blocking(error))'"
        case 1201: "see what is there with 'payqueuectl list'"
        case 1204: "see what waits for an approval with 'payqueuectl list --state purchasing'"
        case 1401, 1402: "see what is open with 'payqueuectl questions'"
        default: nil
        }
    }

    private static func reading(_ error: RPCError) -> String? {
        switch error.code {
        case 1203: "ask again from the first page, without 'page'"
        case 1301: "begin with the oldest record kept: 'payqueuectl watch --after start'"
        case 1302, 1303:
            "the log was set up anew; begin with 'payqueuectl watch --after start'"
        case 1304: "use another '--name', or end the program that has it"
        case 1305: "see the names with 'payqueuectl observers'"
        default: nil
        }
    }

    private static func account(_ error: RPCError) -> String? {
        switch error.code {
        case 1501, 1502: "check the account's name and credential"
        case 1504: "log in with 'payqueuectl login NAME'"
        case 1601: "only the sandbox can be told what to do; start payqueued with '--store sandbox'"
        case 1602: "see the orders with 'payqueuectl test orders'"
        case 1603: "let the owner of the store register this application's bundle id"
        case 1701: "correct the file, then try 'payqueuectl reload' again"
        default: nil
        }
    }

    private static func byRetry(_ error: RPCError, _ help: String) -> String {
        switch error.retry {
        case .same: "send the same again, with the same key"
        case .later:
            error.retryAfter.map { "try again in \(Seconds($0).defaultValueDescription) s" }
                ?? "try again later"
        default: "see what it takes with '\(help)'"
        }
    }

    private static func blocking(_ error: RPCError) -> String {
        error.data["transaction"]?.stringValue ?? "TRANSACTION"
    }
}
