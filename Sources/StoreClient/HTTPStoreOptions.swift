public import PaymentCore
public import StoreMessages

/// How the daemon deals with a store server.
public struct HTTPStoreOptions: Sendable {
    /// Where it is.
    public var address: StoreAddress
    /// The certificates that the server's may be signed by, a PEM file; nil for those of the system.
    public var trustRoots: String?
    /// How long a connection may take to come about.
    public var connectTimeout = Duration.seconds(3)
    /// How long one request may take, from the first byte to the last of the answer.
    public var requestTimeout = Duration.seconds(10)
    /// How long a call may take with all its repetitions; then it fails as unanswered.
    public var callTimeout = Duration.seconds(30)
    /// Most repetitions of a request within one call.
    public var retries = 3
    /// The longest first pause before a repetition; each later one is up to twice as long.
    public var firstPause = Duration.milliseconds(100)
    /// So many failures in a row, with no answer between them, and the store counts as down.
    public var failuresUntilDown = 5
    /// The time between two probes while it is down, at least.
    public var probeInterval = Duration.seconds(5)
    /// Most orders on their way at one moment.
    public var ordersInFlight = 16
    /// Most requests on their way at one moment that clients make only to know something.
    static let questionsInFlight = 8
    /// Most of them that wait for their turn.
    static let questionsWaiting = 1024
    /// The credential for an account, where a `login` brings none; nil if it is not configured.
    public var credential: @Sendable (AccountName) -> OpaqueText? = { _ in nil }

    /// Makes options with the defaults of the daemon.
    public init(address: StoreAddress) {
        self.address = address
    }

    /// Reads a file of trusted certificates as the client does when it is made.
    ///
    /// - Throws: The file cannot be used.
    public static func checkTrustRoots(_ path: String?) throws {
        if let path { _ = try StoreLink.certificates(in: path) }
    }
}
