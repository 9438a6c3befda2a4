import Crypto
import Foundation
import PaymentCore
import PaymentHistory
import StrictJSON

/// Two merchants, and tokens that are wrong in one way each.
struct WrongTokens {
    /// A token and the word that the log has to say.
    struct Case {
        let what: String
        let authorization: [String]
        let word: String
    }

    let registry: MerchantRegistry
    let mine: Merchant
    let other: Merchant
    let revoked: Merchant

    init() throws {
        var random = Numbers(state: 7)
        var registry = MerchantRegistry()
        mine = try registry.add(name: "Mine", at: Samples.now, using: &random)
        other = try registry.add(name: "Other", at: Samples.now, using: &random)
        revoked = try registry.add(name: "Gone", at: Samples.now, using: &random)
        try registry.revoke(revoked.id, at: Samples.now)
        self.registry = registry
    }

    /// The claims of a token that is right.
    var claims: [(String, JSONValue)] {
        let now = Samples.now.milliseconds / 1000
        return [
            ("aud", "onside"), ("iss", "onside"), ("sub", .string(mine.id)),
            ("nbf", .integer(now)), ("exp", .integer(now + 30)), ("jti", "one"),
        ]
    }

    /// The right token.
    var right: String { token(claims: text(claims)) }

    /// The claims with some exchanged, added, or taken away.
    func text(_ claims: [(String, JSONValue)], _ changes: [String: JSONValue?] = [:]) -> String {
        var all = claims.filter { changes[$0.0] == nil }
        for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
            if let value { all.append((name, value)) }
        }
        return "{" + all.map { "\"\($0.0)\":\($0.1.jsonText())" }.joined(separator: ",") + "}"
    }

    /// A token with a header, signed with a secret; both are the right ones if not given.
    func token(
        header: String? = nil, claims: String, secret: [UInt8]? = nil
    ) -> String {
        let header = header ?? #"{"alg":"HS256","kid":"\#(mine.secrets[0].keyID)","typ":"JWT"}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
        let mac = HMAC<SHA256>.authenticationCode(
            for: Array(signed.utf8),
            using: SymmetricKey(data: secret ?? Array(mine.secrets[0].text.utf8)))
        return signed + "." + Base64URL.encode(mac)
    }

    func header(_ algorithm: String, _ keyID: String? = nil) -> String {
        #"{"alg":"\#(algorithm)","kid":"\#(keyID ?? mine.secrets[0].keyID)"}"#
    }

    /// Everything that is wrong, one thing at a time.
    func cases() throws -> [Case] {
        try carriers() + forms() + headers() + signatures() + claimsThatLack() + times()
    }

    private func carriers() -> [Case] {
        [
            Case(what: "no header", authorization: [], word: "noAuthorization"),
            Case(
                what: "two headers", authorization: ["Bearer \(right)", "Bearer \(right)"],
                word: "severalAuthorizations"),
            Case(what: "a bare token", authorization: [right], word: "notBearer"),
            Case(what: "Basic", authorization: ["Basic \(right)"], word: "notBearer"),
            Case(what: "no token", authorization: ["Bearer "], word: "notBearer"),
            Case(what: "two spaces", authorization: ["Bearer  \(right)"], word: "notBearer"),
            Case(what: "a word behind", authorization: ["Bearer \(right) x"], word: "notBearer"),
        ]
    }

    private func forms() -> [Case] {
        let parts = right.split(separator: ".").map(String.init)
        let mac = Array(parts[2])
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let twin = alphabet.firstIndex(of: mac[42]).map { alphabet[$0 ^ 1] } ?? "A"
        return [
            bearer("two parts", parts[0] + "." + parts[1], "notThreeParts"),
            bearer("four parts", right + ".AA", "notThreeParts"),
            bearer("five parts, as if encrypted", right + ".AA.AA", "notThreeParts"),
            bearer("no signature", parts[0] + "." + parts[1] + ".", "emptyPart"),
            bearer("padding", right + "=", "signatureNotCanonicalBase64"),
            bearer(
                "a second spelling", right.endingIn(twin), "signatureNotCanonicalBase64"),
            bearer(
                "the other alphabet", parts[0] + ".+/+/." + parts[2], "payloadNotCanonicalBase64"),
            bearer(
                "a broken header", "!!." + parts[1] + "." + parts[2], "headerNotCanonicalBase64"),
            bearer("more than 4 KiB", right + String(repeating: "A", count: 4096), "tooLong"),
        ]
    }

    private func headers() -> [Case] {
        let claims = text(claims)
        let keyID = mine.secrets[0].keyID
        return [
            bearer("alg none", token(header: header("none"), claims: claims), "algorithmNone"),
            bearer("alg NONE", token(header: header("NoNe"), claims: claims), "algorithmNone"),
            bearer("no alg", token(header: #"{"kid":"\#(keyID)"}"#, claims: claims), "noAlgorithm"),
            bearer("HS512", token(header: header("HS512"), claims: claims), "algorithmNotHS256"),
            bearer("hs256", token(header: header("hs256"), claims: claims), "algorithmNotHS256"),
            bearer(
                "alg twice",
                token(
                    header: #"{"alg":"HS256","alg":"none","kid":"\#(keyID)"}"#, claims: claims),
                "headerRepeatsAMember"),
            bearer("no kid", token(header: #"{"alg":"HS256"}"#, claims: claims), "noKeyID"),
            bearer(
                "a kid that is a number",
                token(header: #"{"alg":"HS256","kid":1}"#, claims: claims),
                "noKeyID"),
            bearer(
                "a wrong kid", token(header: header("HS256", "key_nobody"), claims: claims),
                "unknownKeyID"),
            bearer(
                "a path for a kid",
                token(header: header("HS256", "../../dev/null"), claims: claims),
                "unknownKeyID"),
            bearer(
                "typ at+jwt",
                token(
                    header: #"{"alg":"HS256","kid":"\#(keyID)","typ":"at+jwt"}"#, claims: claims),
                "typeNotJWT"),
            bearer(
                "crit",
                token(
                    header: #"{"alg":"HS256","kid":"\#(keyID)","crit":["exp"]}"#, claims: claims),
                "criticalExtension"),
            bearer("a list for a header", token(header: "[]", claims: claims), "headerNotAnObject"),
            bearer("no JSON for a header", token(header: "x", claims: claims), "headerNotJSON"),
        ]
    }

    private func signatures() throws -> [Case] {
        let claims = text(claims)
        let publicKey = try Samples.key(.rs256).publicKey
        let keys = KeySet([publicKey]).jsonBytes
        let parts = right.split(separator: ".").map(String.init)
        let half = Base64URL.encode((Base64URL.decode(parts[2].utf8) ?? []).prefix(16))
        return [
            bearer(
                "RS256 with the public key as secret",
                token(header: header("RS256", publicKey.id), claims: claims, secret: keys),
                "algorithmNotHS256"),
            bearer(
                "HS256 with the public key as secret", token(claims: claims, secret: keys),
                "badSignature"),
            bearer("an empty secret", token(claims: claims, secret: []), "badSignature"),
            bearer(
                "another merchant's secret",
                token(claims: claims, secret: Array(other.secrets[0].text.utf8)), "badSignature"),
            bearer(
                "the kid of another merchant",
                token(
                    header: header("HS256", other.secrets[0].keyID), claims: claims,
                    secret: Array(other.secrets[0].text.utf8)), "keyOfAnotherMerchant"),
            bearer(
                "another payload",
                [parts[0], Base64URL.encode(text(self.claims, ["sub": "mer_x"]).utf8), parts[2]]
                    .joined(separator: "."), "badSignature"),
            bearer(
                "half a signature", parts[0] + "." + parts[1] + "." + half, "badSignature"),
            bearer(
                "a revoked merchant",
                token(
                    header: header("HS256", revoked.secrets[0].keyID),
                    claims: text(self.claims, ["sub": .string(revoked.id)]),
                    secret: Array(revoked.secrets[0].text.utf8)), "revokedKey"),
        ]
    }

    private func claimsThatLack() -> [Case] {
        let missing = claims.map(\.0).map { name in
            bearer(
                "no \(name)", token(claims: text(claims, [name: JSONValue?.none])),
                "missingClaim:\(name)")
        }
        let second = text(claims).dropLast() + #","sub":"\#(mine.id)"}"#
        return missing + [
            bearer("sub twice", token(claims: String(second)), "payloadRepeatsAMember"),
            wrong("aud", "other", "wrongAudience"), wrong("aud", ["onside", "x"], "wrongAudience"),
            wrong("aud", "Onside", "wrongAudience"), wrong("iss", "me", "wrongIssuer"),
            wrong("sub", .string(other.id), "keyOfAnotherMerchant"),
            wrong("sub", 7, "badClaim:sub"),
            wrong("jti", "", "badClaim:jti"), wrong("jti", 7, "badClaim:jti"),
            wrong("jti", .string(String(repeating: "j", count: 129)), "badClaim:jti"),
            wrong("nbf", "1769421900", "badClaim:nbf"), wrong("exp", .null, "badClaim:exp"),
            wrong("exp", .number("1.7694219e9"), "badClaim:exp"), wrong("nbf", -1, "badClaim:nbf"),
            wrong("exp", .number("99999999999999999999"), "badClaim:exp"),
            bearer("a list for claims", token(claims: "[]"), "payloadNotAnObject"),
            bearer("no JSON for claims", token(claims: "{"), "payloadNotJSON"),
        ]
    }

    private func times() -> [Case] {
        let now = Samples.now.milliseconds / 1000
        func window(_ what: String, _ begin: JSONValue, _ end: JSONValue, _ word: String) -> Case {
            bearer(what, token(claims: text(claims, ["nbf": begin, "exp": end])), word)
        }
        return [
            window("31 seconds", .integer(now), .integer(now + 31), "windowTooLong"),
            window(
                "30.001 seconds", .integer(now), .number("\(now + 30).0001"), "windowTooLong"),
            window("a year", .integer(now), .integer(now + 31_536_000), "windowTooLong"),
            window("no time at all", .integer(now), .integer(now), "emptyWindow"),
            window("backwards", .integer(now + 5), .integer(now), "emptyWindow"),
            window("expired", .integer(now - 32), .integer(now - 2), "expired"),
            window("long expired", .integer(now - 3630), .integer(now - 3600), "expired"),
            window("not yet valid", .integer(now + 3), .integer(now + 33), "notYetValid"),
            window("milliseconds", .integer(now * 1000), .integer(now * 1000 + 30), "badClaim:nbf"),
        ]
    }

    private func wrong(_ name: String, _ value: JSONValue, _ word: String) -> Case {
        bearer("\(name) \(value)", token(claims: text(claims, [name: value])), word)
    }

    private func bearer(_ what: String, _ token: String, _ word: String) -> Case {
        Case(what: what, authorization: ["Bearer " + token], word: word)
    }
}
