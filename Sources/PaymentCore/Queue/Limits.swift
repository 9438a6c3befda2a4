/// Everything that a client or a store can make grow has a limit.
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

    /// Every limit by its configuration key, in the order of publication.
    public static let keys: [Key] = [
        Key(
            "requestLineBytes", \.requestLineBytes,
            "Maximum length of a request line, in bytes without its line feed."),
        Key("replyLineBytes", \.replyLineBytes, "Maximum length of a reply line, in bytes."),
        Key("batchElements", \.batchElements, "Maximum number of calls in a batch."),
        Key("depth", \.depth, in: 1...512, "Maximum nesting depth of a request."),
        Key("tokens", \.tokens, "Maximum number of tokens in a request."),
        Key(
            "requestsInFlight", \.requestsInFlight,
            "Maximum number of requests per connection that wait for the journal."
        ),
        Key(
            "waitingCalls", \.waitingCalls,
            "Maximum number of calls per connection that wait for an event or an answer."
        ),
        Key(
            "subscriptionsPerConnection", \.subscriptionsPerConnection,
            "Maximum number of subscriptions per connection."),
        Key("subscriptions", \.subscriptions, "Maximum number of subscriptions."),
        Key("connections", \.connections, "Maximum number of connections."),
        Key(
            "connectionsPerUser", \.connectionsPerUser,
            "Maximum number of connections per user id, except root and the daemon's own user."),
        Key(
            "outputBufferBytes", \.outputBufferBytes,
            "Maximum number of bytes buffered for a client that does not read."),
        Key(
            "stallSeconds", \.stallSeconds,
            "Time after which a client that reads nothing is disconnected, in seconds."),
        Key(
            "incompleteLineSeconds", \.incompleteLineSeconds,
            "Time within which a request line must be completed, in seconds."),
        Key(
            "unfinishedTransactions", \.unfinishedTransactions,
            "Maximum number of unfinished transactions."),
        Key("unfinishedRestores", \.unfinishedRestores, "Maximum number of running restores."),
        Key("namedObservers", \.namedObservers, "Maximum number of named observers."),
        Key(
            "ordersInFlight", \.ordersInFlight,
            "Maximum number of orders per account in flight at the store."),
        Key("keyBytes", \.keyBytes, in: texts, "Maximum length of an idempotency key, in bytes."),
        Key(
            "appAccountTokenBytes", \.appAccountTokenBytes, in: texts,
            "Maximum length of an application account token, in bytes."),
        Key("traceBytes", \.traceBytes, in: texts, "Maximum length of a trace context, in bytes."),
    ]

    /// One limit: its name and value, and what the configuration reference says of it.
    public struct Key: Sendable {
        /// The configuration key below `limits`; a unit is at its end.
        public let name: String
        /// Where the value is.
        public let path: any WritableKeyPath<Limits, Int> & Sendable
        /// The values that a configuration may give it.
        public let range: ClosedRange<Int>
        /// The meaning, in one sentence.
        public let meaning: String

        fileprivate init(
            _ name: String, _ path: any WritableKeyPath<Limits, Int> & Sendable,
            in range: ClosedRange<Int> = 1...Int(Int32.max), _ meaning: String
        ) {
            self.name = name
            self.path = path
            self.range = range
            self.meaning = meaning
        }
    }

    /// Texts of a request that records keep have a bound of their own.
    private static let texts = 1...RecordBounds.configurableTextBytes
}
