public import PaymentCore
public import StoreMessages

/// The right to send requests about orders.
public enum OrderRight: Sendable, Hashable {
    /// The queue has one node.
    case sole
    /// This node owns a queue of several nodes. The store refuses terms earlier than the latest that it has seen of the
    /// queue.
    case owner(queue: String, term: UInt64)
    /// Another node owns the queue.
    case lost
}

/// The options of the client of a store server.
public struct HTTPStoreOptions: Sendable {
    /// The address of the server.
    public var address: StoreAddress
    /// Trusted root certificates as the bytes of a PEM file; nil for those of the system.
    public var trustRoots: [UInt8]?
    /// The longest time to open a connection.
    public var connectTimeout = Duration.seconds(3)
    /// The longest time of one request, until the last byte of the answer.
    public var requestTimeout = Duration.seconds(10)
    /// The longest time of a call with all its repetitions. After it the call fails as unanswered.
    public var callTimeout = Duration.seconds(30)
    /// Most repetitions of a request within one call.
    public var retries = 3
    /// The upper bound of the first backoff pause. The bound doubles with each repetition.
    public var firstPause = Duration.milliseconds(100)
    /// The failures in a row after which the store counts as down.
    public var failuresUntilDown = 5
    /// The shortest time between two probes while the store is down.
    public var probeInterval = Duration.seconds(5)
    /// Most orders in flight. Other calls of the queue have a limit of the same size.
    public var ordersInFlight = 16
    /// Most read-only client requests in flight.
    static let questionsInFlight = 8
    /// Most read-only client requests that wait for a slot.
    static let questionsWaiting = 1024
    /// The configured credential of an account, for a `login` without one; nil if there is none.
    public var credential: @Sendable (AccountName) -> OpaqueText? = { _ in nil }
    /// Whether requests about orders may be sent now. Called before each attempt to place an order or to query
    /// one, and before each completion.
    public var orderRight: @Sendable () -> OrderRight = { .sole }

    /// Creates options with the defaults of the daemon.
    public init(address: StoreAddress) {
        self.address = address
    }

    /// Checks trusted certificates by reading them as the client does.
    ///
    /// - Throws: The bytes hold no certificates.
    public static func checkTrustRoots(_ bytes: [UInt8]) throws {
        _ = try StoreLink.certificates(in: bytes)
    }
}
