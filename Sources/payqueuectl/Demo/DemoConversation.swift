import StrictJSON

/// The lines of the demonstration: what is typed, and what must come back before the next is.
struct DemoConversation: ~Copyable {
    private var transport: DemoTransport
    private let pace: Duration

    /// Begins a conversation that makes a pause after each line.
    init(transport: consuming DemoTransport, pace: Duration) {
        self.transport = transport
        self.pace = pace
    }

    /// A whole purchase: subscribe, add, the events, finish, the removal.
    mutating func run() throws {
        _ = try ask(#"{"jsonrpc":"2.0","id":1,"method":"subscribe"}"#)
        try wait { $0["method"] == "caughtUp" }
        let added = try ask(
            #"{"jsonrpc":"2.0","id":2,"method":"add","#
                + #""params":{"product":"coins.100","key":"demo-1"}}"#)
        guard let transaction = added["transaction"]?.stringValue else {
            throw CommandFailure(
                .refused, "cannot show the purchase: the answer to 'add' names no transaction",
                advice: "check that '--daemon' names a payqueued of this release")
        }
        try wait { message in
            Self.transactions(message).contains {
                $0["id"]?.stringValue == transaction && $0["transactionState"] == "purchased"
            }
        }
        _ = try ask(
            #"{"jsonrpc":"2.0","id":3,"method":"finish","params":{"transaction":""#
                + transaction + #""}}"#)
        try wait { message in
            message["params"]?["kind"] == "transactionsRemoved"
                && Self.transactions(message).contains { $0["id"]?.stringValue == transaction }
        }
    }

    private static func transactions(_ message: JSONValue) -> [JSONValue] {
        message["params"]?["transactions"]?.arrayValue ?? []
    }

    /// Types a request; returns its result. What comes before it is shown as well.
    private mutating func ask(_ line: String) throws -> JSONValue {
        Console.line(Console.styled("> ", .quiet) + Console.styled(line, .strong))
        try transport.lines.send(line)
        try Interruption.sleep(pace)
        while true {
            let message = try next()
            guard message["id"] != nil else { continue }
            if let error = message["error"] {
                let reason = error["message"]?.stringValue ?? "it does not say why"
                throw CommandFailure(
                    .refused, "cannot show the purchase: the daemon refused a line: \(reason)",
                    advice: "check that '--daemon' names a payqueued of this release")
            }
            return message["result"] ?? .null
        }
    }

    private mutating func wait(for condition: (JSONValue) -> Bool) throws {
        while !condition(try next()) {}
    }

    private mutating func next() throws -> JSONValue {
        let line = try transport.lines.receive(within: .seconds(10))
        Console.line(Console.styled("< ", .quiet) + line)
        try Interruption.sleep(pace)
        do {
            return try JSONValue(parsing: line.utf8)
        } catch {
            throw CommandFailure(
                .refused, "cannot show the purchase: the daemon sent a line that is not JSON",
                advice: "check that '--daemon' names a payqueued of this release")
        }
    }
}
