import Crypto
import FoundationEssentials
import PaymentCore
import PaymentHistory
import StrictJSON

/// Tokens of merchants. An input of one line is a token; of more lines, the first is the header and the rest
/// the claims, which are signed with the secret of a merchant.
enum Tokens {
    private static let now = Timestamp(milliseconds: 1_795_245_600_000)
    private static let leewaySeconds: Int64 = 2
    private static let secret = "a-secret-of-forty-three-characters-or-so-00"
    private static let registry = Result { () throws(MerchantFault) in
        try MerchantRegistry(fileBytes: Array(registryText.utf8))
    }
    private static let registryText = """
        {"version":1,"merchants":[{"id":"mer_1","name":"One","createdAt":"2026-01-01T00:00:00.000Z",\
        "revokedAt":null,"secrets":[{"kid":"key_1","secret":"\(secret)",\
        "createdAt":"2026-01-01T00:00:00.000Z","endsAt":null}]}]}
        """

    static func check(_ input: [UInt8]) throws(Violation) {
        try checkRegistry(input)
        guard let end = input.firstIndex(of: 10) else { return try checkRaw(input) }
        let claims = Array(input[(end + 1)...])
        let given = verdict(signed(input[..<end], claims))
        if case .success(let found) = given { try check(found, claims) }
        guard let respelled = Texts.canonical(claims, limits: JSONLimits(maximumDepth: 4)) else {
            guard case .failure = given else { throw Violation("claims that are not JSON") }
            return
        }
        let other = verdict(signed(input[..<end], respelled))
        // The limits of a token count its characters.
        guard given != other else { return }
        try require(
            given == .failure(.form(.tooLong)), "\(given), and when it is respelled \(other)")
    }

    /// A token is accepted in one spelling only, so that it cannot be used twice.
    private static func checkRaw(_ token: [UInt8]) throws(Violation) {
        _ = verdict(token)
        guard let parts = try? CompactJWS(token, limit: MerchantToken.limitBytes) else { return }
        let pieces = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (piece, bytes) in [(pieces[1], parts.payload), (pieces[2], parts.signature)] {
            try require(
                Base64URL.encode(bytes).utf8.elementsEqual(piece), "a second spelling of a token")
        }
    }

    private static func check(
        _ found: MerchantClaims, _ claims: [UInt8]
    ) throws(Violation) {
        guard let value = try? JSONValue(parsing: claims),
            let begin = value["nbf"]?.doubleValue, let end = value["exp"]?.doubleValue
        else { throw Violation("accepted claims cannot be read") }
        let seconds = Double(now.milliseconds) / 1000
        let leeway = Double(leewaySeconds)
        try require(
            found.merchant == "mer_1" && value["sub"] == "mer_1", "the token of another merchant")
        try require(
            value["jti"] == .string(found.id)
                && (1...MerchantToken.limitIDBytes).contains(found.id.utf8.count), "another id")
        try require(
            end - begin >= 0.999 && end - begin <= 30.001 && begin <= seconds + leeway + 0.001
                && end + leeway > seconds - 0.001, "a window from \(begin) to \(end)")
    }

    private static func signed(_ header: ArraySlice<UInt8>, _ claims: [UInt8]) -> [UInt8] {
        var text = Array(Base64URL.encode(header).utf8)
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(claims).utf8
        let code = HMAC<SHA256>.authenticationCode(
            for: text, using: SymmetricKey(data: Array(secret.utf8)))
        text.append(UInt8(ascii: "."))
        text += Base64URL.encode(code).utf8
        return text
    }

    private static func verdict(_ token: [UInt8]) -> Result<MerchantClaims, TokenRefusal> {
        guard case .success(let registry) = registry else {
            preconditionFailure("the file of the merchants cannot be read")
        }
        do throws(TokenRefusal) {
            return .success(
                try MerchantToken.check(
                    token, registry: registry, now: now, leewaySeconds: leewaySeconds))
        } catch {
            return .failure(error)
        }
    }

    /// The file of the merchants, written again, has the same merchants.
    private static func checkRegistry(_ input: [UInt8]) throws(Violation) {
        guard input.first == UInt8(ascii: "{"),
            let registry = try? MerchantRegistry(fileBytes: input)
        else { return }
        let again = try? MerchantRegistry(fileBytes: registry.fileBytes)
        try require(again == registry, "written again, other merchants")
    }
}
