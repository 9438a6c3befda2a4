/// The limits on everything that a client or a store can make grow.
///
/// `hello` publishes them. Each limit has a configuration key with its name below `limits`.
public struct Limits: Sendable, Hashable {
    /// Maximum length of a request line, in bytes without its line feed.
    public var requestLineBytes = 64 * 1024
    /// Maximum length of a reply line, in bytes.
    public var replyLineBytes = 4 * 1024 * 1024
    /// Maximum number of calls in a batch.
    public var batchElements = 100
    /// Maximum nesting depth of a request.
    public var depth = 32
    /// Maximum number of JSON tokens in a request.
    public var tokens = 4096
    /// Maximum number of requests of one connection that wait for the journal; at the limit reading
    /// pauses.
    public var requestsInFlight = 32
    /// Maximum number of calls of one connection that wait for an answer, the store or a timeout.
    public var waitingCalls = 8
    /// Maximum number of such calls of all connections.
    public var waitingCallsInAll = 1024
    /// Maximum number of subscriptions of one connection.
    public var subscriptionsPerConnection = 16
    /// Maximum number of subscriptions of all connections.
    public var subscriptions = 1024
    /// Maximum number of connections.
    public var connections = 256
    /// Maximum number of connections of one user id; root and the daemon's own user are exempt.
    public var connectionsPerUser = 64
    /// Maximum output buffered for one peer, in bytes.
    public var outputBufferBytes = 256 * 1024
    /// Time without progress after which a peer that does not read is disconnected, in seconds.
    public var stallSeconds = 60
    /// Maximum time for an incomplete request line, in seconds.
    public var incompleteLineSeconds = 30
    /// Maximum number of unfinished transactions of the queue.
    public var unfinishedTransactions = 2_000_000
    /// Maximum number of running restores.
    public var unfinishedRestores = 256
    /// Maximum number of named observers.
    public var namedObservers = 1024
    /// Maximum number of orders of one account in flight at the store.
    public var ordersInFlight = 16
    /// Maximum length of an idempotency key, in bytes.
    public var keyBytes = 128
    /// Maximum length of an application account token, in bytes.
    public var appAccountTokenBytes = 256
    /// Maximum length of a trace context, in bytes.
    public var traceBytes = 256
    /// The daemon's own user. Like root, it may use all remaining units of the limits that users
    /// share. Nil while it is unknown. It has no configuration key.
    public var exemptUser: UInt32?

    /// Creates the default limits.
    public init() {}

    /// Names and values in the order of publication.
    public var named: [(name: String, value: Int)] {
        Self.keys.map { ($0.name, self[keyPath: $0.path]) }
    }

    /// All limits with their configuration keys, in the order of publication.
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
            "waitingCallsInAll", \.waitingCallsInAll,
            "Maximum number of calls that wait for an event or an answer."),
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
            """
            Maximum number of unfinished transactions. The default is smaller if the service has little \
            memory: one for each KiB beyond 64 MiB.
            """),
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

    /// One limit: its name, its property, its range and its text in the configuration reference.
    public struct Key: Sendable {
        /// The configuration key below `limits`; the name ends with its unit, if it has one.
        public let name: String
        /// The property that holds the value.
        public let path: any WritableKeyPath<Limits, Int> & Sendable
        /// The values that a configuration may set.
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

    /// The range of limits on request texts that records store.
    private static let texts = 1...RecordBounds.configurableTextBytes
}
