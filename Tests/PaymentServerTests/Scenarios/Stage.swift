import StrictJSON

/// A queue at one of the three depths, set up for one scenario: nobody is logged in, nobody watches.
protocol Stage: AnyObject {
    /// Another client.
    func client() async throws -> Client
    /// Lets the store answer again, or no more.
    func setStoreAnswers(_ answers: Bool) async throws
}

/// The way of a client's lines to the queue and back.
protocol Wire: AnyObject {
    /// Takes a request.
    func send(_ line: String) async throws
    /// The next reply or notification; throws if none comes.
    func next() async throws -> JSONValue
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

    /// A member of the result.
    subscript(name: String) -> JSONValue? { result?[name] }
}
