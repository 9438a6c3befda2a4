import Crypto
import FoundationEssentials
public import PaymentCore
import StrictJSON

/// The tokens of the Merchant API: JWTs (RFC 7519), valid for at most 30 seconds, signed with
/// HS256.
public enum MerchantToken {
    /// The required value of `aud` and `iss`.
    public static let audience = "onside"
    /// The longest window from `nbf` to `exp`, in seconds.
    public static let longestWindowSeconds: Int64 = 30
    /// The longest token, in characters.
    public static let limitBytes = 4096
    /// The longest `jti`, in bytes.
    public static let limitIDBytes = 128

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - merchant: The Merchant ID.
    ///   - keyID: The Secret Key ID.
    ///   - secret: The Merchant Secret.
    ///   - id: The `jti`, unique per merchant.
    ///   - now: The start of the window, truncated to whole seconds.
    ///   - seconds: The length of the window, 1 to 30 seconds.
    /// - Returns: The token.
    public static func make(
        merchant: String, keyID: String, secret: String, id: String, now: Timestamp,
        seconds: Int64 = longestWindowSeconds
    ) -> String {
        let begin = now.milliseconds / 1000
        let end = begin + min(max(1, seconds), longestWindowSeconds)
        let claims: JSONValue = [
            "aud": .string(audience), "iss": .string(audience), "sub": .string(merchant),
            "nbf": .integer(begin), "exp": .integer(end), "jti": .string(id),
        ]
        return CompactJWS.text(
            header: ["alg": "HS256", "kid": .string(keyID), "typ": "JWT"],
            payload: Array(claims.jsonText().utf8)
        ) { bytes in
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: bytes, using: SymmetricKey(data: Array(secret.utf8))))
        }
    }
}

/// The claims of a valid token.
public struct MerchantClaims: Sendable, Hashable {
    /// The Merchant ID, from `sub`.
    public var merchant: String
    /// The token ID, from `jti`.
    public var id: String
    /// The end of the window, from `exp`.
    public var endsAt: Timestamp
}
