import StrictJSON

/// A queue at one of the depths, set up for one scenario: nobody is logged in, nobody watches.
protocol Stage: AnyObject {
    /// Another client.
    func client() async throws -> Client
    /// Stops in order and starts again on what was kept; clients have to connect again.
    ///
    /// - Parameter germanPrice: What everything costs in Germany from then on, if that changes.
    /// - Throws: It does not come back.
    func restart(germanPrice: String?) async throws
    /// Ends without warning and starts again on what was kept; clients have to connect again.
    func kill() async throws
    /// Lets time pass, where it is the test's own.
    func pass(seconds: Int) async throws
    /// Drops every record that the log keeps, where the log is the test's own.
    func forgetLog() async throws
}

extension Stage {
    /// Stops in order and starts again on what was kept; clients have to connect again.
    func restart() async throws {
        try await restart(germanPrice: nil)
    }

    /// Ends in order where nothing else can be done.
    func kill() async throws {
        try await restart()
    }

    /// Time passes by itself.
    func pass(seconds: Int) async throws {
        throw Unexpected("a test does not wait \(seconds) seconds")
    }

    /// The log is trimmed by itself.
    func forgetLog() async throws {
        throw Unexpected("the log is not the test's own")
    }

    /// Lets the store answer again, or no more.
    func setStoreAnswers(_ answers: Bool) async throws {
        try await client().call("test.set", ["storeDown": .bool(!answers)]).get()
    }
}

/// The way of a client's lines to the queue and back.
protocol Wire: AnyObject {
    /// Takes a request.
    func send(_ line: String) async throws
    /// The next reply or notification; throws if none comes.
    func next() async throws -> JSONValue
    /// Goes away without a word.
    func leave() async throws
}

/// A client as a scenario sees it: it asks, is answered, and hears what happens.
final class Client {
    /// Everything that came, in its order.
    private(set) var heard: [JSONValue] = []
    private let wire: any Wire
    private var notifications: [JSONValue] = []
    private var replies: [Int: Reply] = [:]
    private var lastID = 0

    init(_ wire: any Wire) {
        self.wire = wire
    }

    /// Sends a request and does not wait.
    ///
    /// - Returns: The number to get its reply by.
    func start(_ method: String, _ params: JSONValue = [:]) async throws -> Int {
        lastID += 1
        try await wire.send(Ask.line(lastID, method, params))
        return lastID
    }

    /// Goes away without a word.
    func leave() async throws {
        try await wire.leave()
    }

    /// Sends a line as it is.
    func send(_ line: String) async throws {
        try await wire.send(line)
    }

    /// Waits for the reply to a request.
    func reply(to id: Int) async throws -> Reply {
        while true {
            if let reply = replies.removeValue(forKey: id) { return reply }
            try await hear()
        }
    }

    /// Sends a request and waits for its reply.
    @discardableResult
    func call(_ method: String, _ params: JSONValue = [:]) async throws -> Reply {
        try await reply(to: start(method, params))
    }

    /// The next notification.
    func notification() async throws -> JSONValue {
        while notifications.isEmpty { try await hear() }
        return notifications.removeFirst()
    }

    /// The next line that is neither the reply to a request of ``start(_:_:)`` nor a notification.
    func other() async throws -> JSONValue {
        while true {
            let message = try await wire.next()
            heard.append(message)
            if message["method"] == nil { return message }
            notifications.append(message)
        }
    }

    private func hear() async throws {
        let message = try await wire.next()
        heard.append(message)
        if let id = message.idNumber {
            replies[id] = Reply(message)
        } else {
            notifications.append(message)
        }
    }
}

/// A reply, by what it holds.
struct Reply: CustomStringConvertible {
    private let message: JSONValue

    init(_ message: JSONValue) {
        self.message = message
    }

    var description: String { message.jsonText() }
    /// The result of a success.
    var result: JSONValue? { message["result"] }
    /// The code of a failure.
    var code: Int64? { message.errorCode }
    /// What a failure says about itself.
    var data: JSONValue? { message["error"]?["data"] }

    /// The result; throws the failure.
    @discardableResult
    func get() throws -> JSONValue {
        guard let result else { throw Unexpected("it was refused: \(self)") }
        return result
    }

    /// A member of the result.
    subscript(name: String) -> JSONValue? { result?[name] }
}
