/// The signature algorithms of histories, by their names in RFC 7518.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA with PKCS #1 version 1.5 padding, over SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256, over SHA-256.
    case es256 = "ES256"
}
