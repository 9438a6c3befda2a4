import Crypto
import FoundationEssentials
public import PaymentCore
import StrictJSON

extension MerchantToken {
    /// Checks a token against everything but its having been used before.
    ///
    /// No claim is looked at before the signature was found right, and a signature is computed
    /// whether the key is known or not: what an answer tells, and how long it takes, do not depend
    /// on which guess was closest.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - registry: Who may ask.
    ///   - now: The time.
    ///   - leewaySeconds: How far the clocks may differ. It does not make the window longer.
    /// - Returns: What the token says.
    /// - Throws: The first rule that it breaks.
    public static func check(
        _ token: some Collection<UInt8>, registry: MerchantRegistry, now: Timestamp,
        leewaySeconds: Int64
    ) throws(TokenRefusal) -> MerchantClaims {
        let parts: CompactJWS
        do throws(JWSFault) {
            parts = try CompactJWS(token, limit: limitBytes)
        } catch {
            throw .form(error)
        }
        let keyID = try keyID(of: parts.header)
        let holder = registry.holder(ofKey: keyID)
        let key = SymmetricKey(data: Array((holder?.secret.text ?? unknownSecret).utf8))
        let isRight = HMAC<SHA256>.isValidAuthenticationCode(
            parts.signature, authenticating: parts.signedBytes, using: key)
        guard let holder else { throw .unknownKeyID }
        guard isRight else { throw .badSignature }
        guard holder.merchant.revokedAt == nil, holder.secret.isValid(at: now) else {
            throw .revokedKey
        }
        return try claims(
            of: parts.payload, by: holder.merchant, now: now, leeway: leewaySeconds * 1000)
    }

    /// Stands in for the secret that there is not.
    private static let unknownSecret = String(repeating: "-", count: 43)

    /// The name of the key, of a header that admits HS256 and nothing else.
    private static func keyID(of header: JSONValue) throws(TokenRefusal) -> String {
        guard let algorithm = header["alg"] else { throw .noAlgorithm }
        if algorithm.stringValue?.lowercased() == "none" { throw .algorithmNone }
        guard algorithm == "HS256" else { throw .algorithmNotHS256 }
        if let type = header["typ"] {
            // RFC 7519 section 5.1 recommends capital letters and lets others be.
            guard type.stringValue?.lowercased() == "jwt" else { throw .typeNotJWT }
        }
        guard let keyID = header["kid"]?.stringValue else { throw .noKeyID }
        return keyID
    }

    private static func claims(
        of payload: [UInt8], by merchant: Merchant, now: Timestamp, leeway: Int64
    ) throws(TokenRefusal) -> MerchantClaims {
        let claims: JSONValue
        do throws(JWSFault) {
            claims = try CompactJWS.object(
                payload, .payload, JSONLimits(maximumDepth: 4, maximumTokens: 128))
        } catch {
            throw .form(error)
        }
        for name in ["aud", "iss", "sub", "nbf", "exp", "jti"] where claims[name] == nil {
            throw .missingClaim(name)
        }
        // RFC 7519 section 4.1.3: one audience may be written as a list of one.
        let listed = claims["aud"]?.arrayValue
        let audience = listed?.count == 1 ? listed?[0] : claims["aud"]
        guard audience == .string(Self.audience) else { throw .wrongAudience }
        guard claims["iss"] == .string(Self.audience) else { throw .wrongIssuer }
        guard let subject = claims["sub"]?.stringValue else { throw .badClaim("sub") }
        guard subject.utf8.elementsEqual(merchant.id.utf8) else { throw .keyOfAnotherMerchant }
        let begin = try moment("nbf", in: claims)
        let end = try moment("exp", in: claims)
        guard end - begin >= 1000 else { throw .emptyWindow }
        guard end - begin <= longestWindowSeconds * 1000 else { throw .windowTooLong }
        guard begin - leeway <= now.milliseconds else { throw .notYetValid }
        guard now.milliseconds < end + leeway else { throw .expired }
        guard let id = claims["jti"]?.stringValue, (1...limitIDBytes).contains(id.utf8.count) else {
            throw .badClaim("jti")
        }
        return MerchantClaims(
            merchant: merchant.id, id: id, endsAt: Timestamp(milliseconds: end))
    }

    /// A NumericDate in milliseconds: seconds, with a fraction or without, no exponent.
    private static func moment(
        _ name: String, in claims: JSONValue
    ) throws(TokenRefusal) -> Int64 {
        guard let text = claims[name]?.numberText else { throw .badClaim(name) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let seconds = Int64(parts[0]),
            (0...99_999_999_999).contains(seconds),
            !text.hasPrefix("-")
        else { throw .badClaim(name) }
        guard parts.count == 2 else { return seconds * 1000 }
        // Digits beyond milliseconds are rounded up, so that they cannot hide a longer window.
        let digits = Array(parts[1].utf8)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .badClaim(name) }
        let padded = digits.prefix(3) + [UInt8](repeating: 0x30, count: max(0, 3 - digits.count))
        let milliseconds = padded.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        let isBetween = digits.dropFirst(3).contains { $0 != 0x30 }
        return seconds * 1000 + milliseconds + (isBetween && name == "exp" ? 1 : 0)
    }
}
