/// A page of an account's payment history, signed by the store: a compact JWS (RFC 7515). Its
/// payload is a `TransactionHistory`, newest payment first. A page can be verified on its own.
public struct SignedHistory: Sendable, Hashable {
    /// The JWS: three base64url parts separated by full stops.
    public var jws: String
    /// The identifier of the signing key in the store's key set.
    public var keyID: String
    /// The signature algorithm by its RFC 7518 name, such as `RS256`.
    public var algorithm: String
    /// The token of the page with the next older payments; nil on the last page.
    public var next: OpaqueText?

    /// The maximum size of a page's JWS in bytes: a reply line of 4 MiB without the envelope.
    public static let limitBytes = 4 << 20 - envelopeBytes
    /// An upper bound in bytes for the rest of a reply: its id and the other members.
    public static let envelopeBytes = 1024
    /// The maximum number of purchases that a caller can request for a page. A page never exceeds
    /// ``limitBytes``.
    public static let largestLimit = 10_000
    /// The maximum length of a page token, in bytes.
    public static let pageBytes = 128

    /// Wraps a signed page of a store.
    public init(jws: String, keyID: String, algorithm: String, next: OpaqueText? = nil) {
        self.jws = jws
        self.keyID = keyID
        self.algorithm = algorithm
        self.next = next
    }
}

/// A request for one page of a signed history.
public struct HistoryQuery: Sendable, Hashable {
    /// The page token from the previous page; nil for the newest payments. It names a point in
    /// time, so that later payments do not shift pages.
    public var page: OpaqueText?
    /// The maximum number of purchases, at least 1; nil for as many as fit.
    public var limit: Int?
    /// The maximum size of the JWS in bytes, at least 1. The page always has at least one purchase,
    /// whatever its size.
    public var limitBytes: Int

    /// Creates a request for a page.
    ///
    /// - Parameters:
    ///   - page: The token from the previous page; nil for the newest payments.
    ///   - limit: The maximum number of purchases; values below 1 become 1.
    ///   - limitBytes: The maximum size of the JWS in bytes, clamped to 1 to
    ///     ``SignedHistory/limitBytes``.
    public init(
        page: OpaqueText? = nil, limit: Int? = nil, limitBytes: Int = SignedHistory.limitBytes
    ) {
        self.page = page
        self.limit = limit.map { max(1, $0) }
        self.limitBytes = min(max(1, limitBytes), SignedHistory.limitBytes)
    }
}

/// A public key of the store (RFC 7517) for the verification of signatures. Numbers are encoded as
/// in the key set: base64url of their big-endian bytes.
public struct StoreKey: Sendable, Hashable {
    /// The numbers of a key, by its kind.
    public enum Material: Sendable, Hashable {
        /// An RSA key: modulus and public exponent.
        case rsa(modulus: String, exponent: String)
        /// A point on the curve P-256.
        case p256(x: String, y: String)
    }

    /// The identifier by which signatures name the key.
    public var id: String
    /// The algorithm of the key by its RFC 7518 name, such as `RS256`.
    public var algorithm: String
    /// The numbers of the key.
    public var material: Material

    /// Creates a key.
    public init(id: String, algorithm: String, material: Material) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
    }
}
