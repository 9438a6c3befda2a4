/// A page of the history of an account as the store signed it: a compact JWS (RFC 7515) whose payload
/// is a `TransactionHistory`, the newest payment first. It can be verified by itself.
public struct SignedHistory: Sendable, Hashable {
    /// The JWS: three parts of base64url with full stops between them.
    public var jws: String
    /// The key that signed it, as the store's key set names it.
    public var keyID: String
    /// How it was signed: a word of RFC 7518, such as `RS256`.
    public var algorithm: String
    /// The token of the page with the next older payments; nil on the last one.
    public var next: OpaqueText?

    /// Most bytes of the JWS of a page: what a reply line of 4 MiB has room for besides the envelope.
    public static let limitBytes = 4 << 20 - envelopeBytes
    /// More than a reply needs for everything but the JWS: its id and the other members.
    public static let envelopeBytes = 1024
    /// Most purchases of a page that can be asked for. A page never has more than fit
    /// ``limitBytes``.
    public static let largestLimit = 10_000
    /// The longest name of a page, in bytes.
    public static let pageBytes = 128

    /// Keeps what a store has signed.
    public init(jws: String, keyID: String, algorithm: String, next: OpaqueText? = nil) {
        self.jws = jws
        self.keyID = keyID
        self.algorithm = algorithm
        self.next = next
    }
}

/// Which page of a signed history is asked for.
public struct HistoryQuery: Sendable, Hashable {
    /// The page, as the one before named it; nil for the newest payments. It names a place in time:
    /// what is paid for later moves no page.
    public var page: OpaqueText?
    /// Most purchases, at least 1; nil for as many as fit.
    public var limit: Int?
    /// Most bytes of the JWS, at least 1. One purchase is on the page whatever it takes.
    public var limitBytes: Int

    /// Asks for a page.
    ///
    /// - Parameters:
    ///   - page: As the page before named it; nil for the newest payments.
    ///   - limit: Most purchases; less than 1 is taken for 1.
    ///   - limitBytes: Most bytes of the JWS; taken for the nearest of what is allowed, 1 to
    ///     ``SignedHistory/limitBytes``.
    public init(
        page: OpaqueText? = nil, limit: Int? = nil, limitBytes: Int = SignedHistory.limitBytes
    ) {
        self.page = page
        self.limit = limit.map { max(1, $0) }
        self.limitBytes = min(max(1, limitBytes), SignedHistory.limitBytes)
    }
}

/// A public key of the store (RFC 7517), which signatures are verified with. Numbers are as in the
/// key set: base64url of their bytes, the most significant first.
public struct StoreKey: Sendable, Hashable {
    /// The numbers of a key, by its kind.
    public enum Material: Sendable, Hashable {
        /// An RSA key: modulus and public exponent.
        case rsa(modulus: String, exponent: String)
        /// A point on the curve P-256.
        case p256(x: String, y: String)
    }

    /// The identifier by which signatures name it.
    public var id: String
    /// The algorithm that it is used with: a word of RFC 7518, such as `RS256`.
    public var algorithm: String
    /// Its numbers.
    public var material: Material

    /// Names a key.
    public init(id: String, algorithm: String, material: Material) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
    }
}
