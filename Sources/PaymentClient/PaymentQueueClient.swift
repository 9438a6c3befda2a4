public import StrictJSON

/// A client of the daemon that reconnects after lost connections.
///
/// Several tasks may call it concurrently. Idempotent calls are retried until their time limit:
/// reads, `finish`, and calls with a key. Other calls fail with the connection, and may have had an
/// effect.
public actor PaymentQueueClient {
    /// The path of the daemon's socket.
    public nonisolated let path: String
    /// The name of this client in the daemon's `status`, `observers` and log.
    public nonisolated let name: String
    /// The time limit of an ordinary call, including retries.
    public nonisolated let timeout: Duration

    private var connection: PaymentConnection?

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(2)
    private static let repeatable: Set<String> = [
        "answer", "check", "entitlements", "finish", "hello", "help", "keys", "metrics",
        "observers", "ping", "products", "questions", "rpc.discover", "signedHistory", "status",
        "storefront", "transactions", "wait",
    ]

    /// Creates a client; it does not connect yet.
    public init(
        socket: String? = nil, name: String = "swift", timeout: Duration = .seconds(30)
    ) {
        path = SocketPath.find(socket)
        self.name = name
        self.timeout = timeout
    }

    /// Closes the connection. The next call opens a new one.
    public func close() async {
        let ended = connection
        connection = nil
        await ended?.close()
    }

    /// Calls a method, with retries if it is idempotent.
    ///
    /// - Parameters:
    ///   - method: The name of the method, possibly unknown to this library.
    ///   - params: The parameters, an object; nil for none.
    ///   - patience: The time limit beyond ``timeout``, for calls that wait in the daemon.
    /// - Returns: The result of the reply.
    /// - Throws: ``RPCError`` if the daemon refused the call, ``ConnectionFailure`` if no reply
    ///   arrived.
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
                // A failed first connection is reported at once. A connection that breaks during a
                // call probably means a restart of the daemon.
                let isBroken = failure.kind == .lost || failure.kind == .notConnected
                let isInTime = ContinuousClock.now + pause < deadline
                guard isBroken, mayRepeat, wasSent, isInTime else { throw failure }
            }
            try await Task.sleep(for: pause)
            pause = min(Self.longestPause, pause * 2)
        }
    }

    /// Adds a payment. Retries are safe: the store charges at most once per key.
    ///
    /// - Returns: The daemon's result: `transaction`, `state`, `duplicate`, …
    /// - Throws: The errors of ``call(_:_:patience:)``.
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

    /// Reports that the goods of a transaction are delivered. The call is idempotent.
    ///
    /// - Returns: The disposition: `removed`, `completing`, `ignoredInFlight` or `alreadyFinished`.
    /// - Throws: The errors of ``call(_:_:patience:)``.
    public func finish(_ transaction: String) async throws -> String {
        let answer = try await call("finish", ["transaction": .string(transaction)])
        return answer["disposition"]?.stringValue ?? ""
    }

    /// All unfinished transactions in some states, from all pages; nil means all states.
    ///
    /// - Throws: The errors of ``call(_:_:patience:)``.
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
        // A concurrent call may have connected first.
        if let connection {
            await made.close()
            return connection
        }
        connection = made
        _ = try await made.call("hello", ["client": ["name": .string(name)]])
        return made
    }
}
