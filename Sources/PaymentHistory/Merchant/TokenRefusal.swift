/// Why a request of a merchant is not let in. The words are for the log; the client is told
/// nothing but that the token is not valid.
public enum TokenRefusal: Error, Sendable, Hashable {
    /// There is no `Authorization`.
    case noAuthorization
    /// There is more than one `Authorization`.
    case severalAuthorizations
    /// The scheme is not `Bearer`, or there is no token after it.
    case notBearer
    /// The token is no JWS.
    case form(JWSFault)
    /// The header has no `alg`.
    case noAlgorithm
    /// The `alg` is `none`: nothing is signed.
    case algorithmNone
    /// The `alg` is another than HS256.
    case algorithmNotHS256
    /// The `typ` is there and is not `JWT`.
    case typeNotJWT
    /// The header has no `kid`.
    case noKeyID
    /// No secret has the `kid`.
    case unknownKeyID
    /// The secret, or the merchant, was revoked or has ended.
    case revokedKey
    /// The signature does not fit.
    case badSignature
    /// A claim is missing.
    case missingClaim(String)
    /// A claim has a type or a form that it cannot have.
    case badClaim(String)
    /// `aud` is not `onside`.
    case wrongAudience
    /// `iss` is not `onside`.
    case wrongIssuer
    /// The `kid` belongs to another merchant than `sub`.
    case keyOfAnotherMerchant
    /// `exp` is not later than `nbf` by a second at least.
    case emptyWindow
    /// More than 30 seconds lie between `nbf` and `exp`.
    case windowTooLong
    /// `nbf` lies ahead.
    case notYetValid
    /// `exp` lies behind.
    case expired
    /// The `jti` was used before.
    case replayed
    /// More tokens are remembered than can be.
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
