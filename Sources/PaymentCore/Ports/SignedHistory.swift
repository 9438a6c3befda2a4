/// The history of an account as the store signed it: a compact JWS (RFC 7515) whose payload is the
/// `TransactionHistory` of PROTOCOL.md section 4.
public struct SignedHistory: Sendable, Hashable {
    /// The JWS: three parts of base64url with full stops between them.
    public var jws: String
    /// The key that signed it, as the store's key set names it.
    public var keyID: String
    /// How it was signed: a word of RFC 7518, such as `RS256`.
    public var algorithm: String

    /// Keeps what a store has signed.
    public init(jws: String, keyID: String, algorithm: String) {
        self.jws = jws
        self.keyID = keyID
        self.algorithm = algorithm
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

    /// What signatures name it by.
    public var id: String
    /// What it is used with: a word of RFC 7518, such as `RS256`.
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
