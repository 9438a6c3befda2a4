/// Why a request of a merchant is not let in. The words are for the log; the client is told
/// nothing but that the token is not valid.
public enum TokenRefusal: Error, Sendable, Hashable {
    /// The `Authorization` header is missing.
    case noAuthorization
    /// The request has several `Authorization` headers.
    case severalAuthorizations
    /// The scheme is not `Bearer`, or the token is missing.
    case notBearer
    /// The token is not a JWS.
    case form(JWSFault)
    /// The header has no `alg`.
    case noAlgorithm
    /// The `alg` is `none`: the token is unsigned.
    case algorithmNone
    /// The `alg` is not HS256.
    case algorithmNotHS256
    /// The `typ` exists and is not `JWT`.
    case typeNotJWT
    /// The header has no `kid`.
    case noKeyID
    /// The `kid` is unknown.
    case unknownKeyID
    /// The secret was revoked or has expired, or its merchant was revoked.
    case revokedKey
    /// The signature is invalid.
    case badSignature
    /// A claim is missing.
    case missingClaim(String)
    /// A claim has an invalid type or form.
    case badClaim(String)
    /// `aud` is not `onside`.
    case wrongAudience
    /// `iss` is not `onside`.
    case wrongIssuer
    /// The `kid` belongs to another merchant than `sub`.
    case keyOfAnotherMerchant
    /// The window from `nbf` to `exp` is shorter than one second.
    case emptyWindow
    /// The window from `nbf` to `exp` is longer than 30 seconds.
    case windowTooLong
    /// The time of `nbf` is in the future.
    case notYetValid
    /// The time of `exp` has passed.
    case expired
    /// The `jti` was used before.
    case replayed
    /// The memory of used tokens is full.
    case memoryFull

    /// The word for the log.
    public var word: String {
        switch self {
        case .noAuthorization: "noAuthorization"
        case .severalAuthorizations: "severalAuthorizations"
        case .notBearer: "notBearer"
        case .form(let fault): fault.word
        case .noAlgorithm: "noAlgorithm"
        case .algorithmNone: "algorithmNone"
        case .algorithmNotHS256: "algorithmNotHS256"
        case .typeNotJWT: "typeNotJWT"
        case .noKeyID: "noKeyID"
        case .unknownKeyID: "unknownKeyID"
        case .revokedKey: "revokedKey"
        case .badSignature: "badSignature"
        case .missingClaim(let name): "missingClaim:\(name)"
        case .badClaim(let name): "badClaim:\(name)"
        case .wrongAudience: "wrongAudience"
        case .wrongIssuer: "wrongIssuer"
        case .keyOfAnotherMerchant: "keyOfAnotherMerchant"
        case .emptyWindow: "emptyWindow"
        case .windowTooLong: "windowTooLong"
        case .notYetValid: "notYetValid"
        case .expired: "expired"
        case .replayed: "replayed"
        case .memoryFull: "memoryFull"
        }
    }
}
