/// Everything that a client or a store can make grow has a limit (PROTOCOL.md section 7).
///
/// `hello` publishes them; each is a configuration key under `limits` by the name it has here.
public struct Limits: Sendable, Hashable {
    /// Longest request line, in bytes without its line feed.
    public var requestLineBytes = 64 * 1024
    /// Longest reply line, in bytes.
    public var replyLineBytes = 4 * 1024 * 1024
    /// Most elements of a batch.
    public var batchElements = 100
    /// Deepest nesting of a request.
    public var depth = 32
    /// Most tokens of a request.
    public var tokens = 4096
    /// Most requests of one connection that wait for the journal; then reading pauses.
    public var requestsInFlight = 32
    /// Most calls of one connection that wait for a person, the store or time.
    public var waitingCalls = 8
    /// Most subscriptions of one connection.
    public var subscriptionsPerConnection = 16
    /// Most subscriptions of all connections.
    public var subscriptions = 1024
    /// Most connections.
    public var connections = 256
    /// Most connections of one user id; root and the daemon's own user are exempt.
    public var connectionsPerUser = 64
    /// Most bytes that wait for one peer to read them.
    public var outputBufferBytes = 256 * 1024
    /// How long a peer may take no byte before it is closed, in seconds.
    public var stallSeconds = 60
    /// How long an unfinished line may take, in seconds.
    public var incompleteLineSeconds = 30
    /// Most unfinished transactions of the queue.
    public var unfinishedTransactions = 2_000_000
    /// Most restores that have not ended.
    public var unfinishedRestores = 256
    /// Most named observers.
    public var namedObservers = 1024
    /// Most orders of one account that are under way at the store.
    public var ordersInFlight = 16
    /// Longest idempotency key, in bytes.
    public var keyBytes = 128
    /// Longest application account token, in bytes.
    public var appAccountTokenBytes = 256
    /// Longest trace context, in bytes.
    public var traceBytes = 256

    /// The defaults of the contract.
    public init() {}

    /// The names and values in the order of publication.
    public var named: [(name: String, value: Int)] {
        Self.keys.map { ($0.name, self[keyPath: $0.path]) }
    }

    /// Every limit by its configuration key.
    public static let keys: [(name: String, path: any WritableKeyPath<Limits, Int> & Sendable)] = [
        ("requestLineBytes", \.requestLineBytes), ("replyLineBytes", \.replyLineBytes),
        ("batchElements", \.batchElements), ("depth", \.depth), ("tokens", \.tokens),
        ("requestsInFlight", \.requestsInFlight), ("waitingCalls", \.waitingCalls),
        ("subscriptionsPerConnection", \.subscriptionsPerConnection),
        ("subscriptions", \.subscriptions), ("connections", \.connections),
        ("connectionsPerUser", \.connectionsPerUser), ("outputBufferBytes", \.outputBufferBytes),
        ("stallSeconds", \.stallSeconds), ("incompleteLineSeconds", \.incompleteLineSeconds),
        ("unfinishedTransactions", \.unfinishedTransactions),
        ("unfinishedRestores", \.unfinishedRestores), ("namedObservers", \.namedObservers),
        ("ordersInFlight", \.ordersInFlight),
        ("keyBytes", \.keyBytes), ("appAccountTokenBytes", \.appAccountTokenBytes),
        ("traceBytes", \.traceBytes),
    ]
}
