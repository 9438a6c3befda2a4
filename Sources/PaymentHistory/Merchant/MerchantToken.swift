import Crypto
import FoundationEssentials
public import PaymentCore
import StrictJSON

/// The tokens that publishers ask the Merchant API with: JWTs (RFC 7519) of 30 seconds at most,
/// signed with HS256.
public enum MerchantToken {
    /// The required value of `aud` and `iss`.
    public static let audience = "onside"
    /// The longest window from `nbf` to `exp`, in seconds.
    public static let longestWindowSeconds: Int64 = 30
    /// The longest token, in characters.
    public static let limitBytes = 4096
    /// The longest `jti`, in bytes.
    public static let limitIDBytes = 128

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - merchant: The Merchant ID.
    ///   - keyID: The Secret Key ID.
    ///   - secret: The Merchant Secret.
    ///   - id: The `jti`, never used before.
    ///   - now: When it begins; written in whole seconds.
    ///   - seconds: How long it holds, 1...30.
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
    /// The merchant.
    public var merchant: String
    /// Names the token.
    public var id: String
    /// When it ends.
    public var endsAt: Timestamp
}
