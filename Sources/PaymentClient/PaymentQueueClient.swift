public import StrictJSON

/// A client of the daemon: calls over a connection that is made again when it broke.
///
/// Calls may come from several tasks. Calls that may be repeated safely are repeated until their
/// time is over: reads, `finish`, and `add` and `restore` with a key. Others fail with the
/// connection, and whether they had an effect is then not known.
public actor PaymentQueueClient {
    /// The daemon's socket.
    public nonisolated let path: String
    /// Names the connections in the daemon's `status` and journal.
    public nonisolated let name: String
    /// How long an ordinary call may take, repetitions included.
    public nonisolated let timeout: Duration

    private var connection: PaymentConnection?

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)
    private static let repeatable: Set<String> = [
        "answer", "check", "entitlements", "finish", "hello", "help", "keys", "metrics",
        "observers", "ping", "products", "questions", "rpc.discover", "signedHistory", "status",
        "storefront", "transactions", "wait",
    ]

    /// Makes a client; nothing is sent yet.
    public init(
        socket: String? = nil, name: String = "swift", timeout: Duration = .seconds(30)
    ) {
        path = SocketPath.find(socket)
        self.name = name
        self.timeout = timeout
    }

    /// Ends the connection. The next call makes a new one.
    public func close() async {
        let ended = connection
        connection = nil
        await ended?.close()
    }

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - method: The method; also one that this library does not know.
    ///   - params: Its parameters.
    ///   - patience: Time that the call may take beyond ``timeout``, for calls that wait.
    /// - Returns: The result.
    /// - Throws: ``RPCError`` if the daemon said no, ``ConnectionFailure`` if no answer came.
    public func call(
        _ method: String, _ params: JSONValue? = nil, patience: Duration = .zero
    ) async throws -> JSONValue {
        let deadline = ContinuousClock.now + timeout + patience
        let hasKey = params?["key"] != nil
        let mayRepeat = hasKey || Self.repeatable.contains(method)
        var pause = Self.shortestPause
        var wasSent = false
        while true {
            do {
                let connection = try await connected()
                wasSent = true
                return try await connection.call(
                    method, params, timeout: max(.zero, deadline - ContinuousClock.now))
            } catch let failure as ConnectionFailure {
                if failure.kind != .timedOut { connection = nil }
                // A daemon that was never there is told about at once; one that goes away in the
                // middle of a call is probably being restarted.
                let isBroken = failure.kind == .lost || failure.kind == .notConnected
                let isInTime = ContinuousClock.now + pause < deadline
                guard isBroken, mayRepeat, wasSent, isInTime else { throw failure }
            }
            try await Task.sleep(for: pause)
            pause = min(Self.longestPause, pause * 2)
        }
    }

    /// Adds a payment. The key makes it safe to repeat: the same key never pays twice.
    ///
    /// - Returns: The daemon's answer: `transaction`, `state`, `duplicate`, …
    public func add(
        _ product: String, key: String, appAccountToken: String? = nil
    ) async throws -> JSONValue {
        var members = [
            JSONMember(name: "product", value: .string(product)),
            JSONMember(name: "key", value: .string(key)),
        ]
        if let appAccountToken {
            members.append(JSONMember(name: "appAccountToken", value: .string(appAccountToken)))
        }
        return try await call("add", .object(members))
    }

    /// Says that the goods are delivered. May be repeated freely.
    ///
    /// - Returns: What it came to: `removed`, `completing`, `ignoredInFlight`, `alreadyFinished`.
    public func finish(_ transaction: String) async throws -> String {
        let answer = try await call("finish", ["transaction": .string(transaction)])
        return answer["disposition"]?.stringValue ?? ""
    }

    /// All unfinished transactions in some states, every page of them.
    public func transactions(
        states: [ObservedTransaction.State]? = nil
    ) async throws -> [ObservedTransaction] {
        var found: [ObservedTransaction] = []
        var page: JSONValue?
        repeat {
            var members: [JSONMember] = []
            if let states {
                let words = states.map { JSONValue.string($0.rawValue) }
                members.append(JSONMember(name: "states", value: .array(words)))
            }
            if let page { members.append(JSONMember(name: "page", value: page)) }
            let answer = try await call("transactions", .object(members))
            let snapshots = answer["transactions"]?.arrayValue ?? []
            found += snapshots.compactMap(ObservedTransaction.init)
            page = answer["next"]
        } while page != nil
        return found
    }

    private func connected() async throws -> PaymentConnection {
        if let connection { return connection }
        let made = try await PaymentConnection.connect(to: path)
        // Another call may have been quicker while this one waited.
        if let connection {
            await made.close()
            return connection
        }
        connection = made
        _ = try await made.call("hello", ["client": ["name": .string(name)]])
        return made
    }
}
