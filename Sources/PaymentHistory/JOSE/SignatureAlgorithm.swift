/// How histories are signed: the algorithms of RFC 7518 that both sides of a store speak.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA with the padding of PKCS #1 version 1.5, over SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256, over SHA-256.
    case es256 = "ES256"
}
