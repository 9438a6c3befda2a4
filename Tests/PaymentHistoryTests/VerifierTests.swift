import Crypto
import Foundation
import PaymentCore
import StrictJSON
import Testing

@testable import PaymentHistory

/// Histories that are not what they look like.
@Suite struct VerifierTests {
    private func fault(_ jws: String, _ keys: KeySet? = nil) throws -> VerificationFault? {
        let keys = try keys ?? Samples.ring().keySet
        return #expect(throws: VerificationFault.self) {
            try HistoryVerifier(keys: keys).verify(jws)
        }
    }

    private func parts(_ algorithm: SignatureAlgorithm = .es256) throws -> [String] {
        try Samples.ring(algorithm).sign(Samples.history).jws.split(separator: ".").map(String.init)
    }

    @Test func `another payload, header or signature does not fit`() throws {
        let parts = try parts()
        let other = Base64URL.encode(TransactionHistory(transactions: []).jsonBytes)
        #expect(try fault("\(parts[0]).\(other).\(parts[2])") == .badSignature)
        let spaced = try #require(Base64URL.decode(parts[0].utf8)) + [0x20]
        #expect(
            try fault("\(Base64URL.encode(spaced)).\(parts[1]).\(parts[2])") == .badSignature)
        var signature = try #require(Base64URL.decode(parts[2].utf8))
        signature[5] ^= 4
        #expect(
            try fault("\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))") == .badSignature)
    }

    @Test func `the header cannot choose how a signature is computed`() throws {
        let parts = try parts(.rs256)
        let key = try Samples.key(.rs256).publicKey
        let keys = KeySet([key])
        for algorithm in ["none", "HS256", "ES256", "PS256", "RS512", "rs256"] {
            let header = #"{"alg":"\#(algorithm)","kid":"\#(key.id)"}"#
            let signed = Base64URL.encode(header.utf8) + "." + parts[1]
            // As if the public key were a secret.
            let mac = HMAC<SHA256>.authenticationCode(
                for: Array(signed.utf8), using: SymmetricKey(data: keys.jsonBytes))
            let jws = signed + "." + Base64URL.encode(mac)
            #expect(try fault(jws, keys) == .wrongAlgorithm(expected: .rs256))
        }
    }

    @Test func `keys that the header brings along are not looked at`() throws {
        let stranger = try SigningKey.generate(.es256)
        let header: JSONValue = [
            "alg": "ES256", "kid": .string(try Samples.key(.es256).publicKey.id),
            "jwk": stranger.publicKey.jsonValue, "jku": "https://example.com/keys",
        ]
        let jws = try CompactJWS.text(header: header, payload: Samples.history.jsonBytes) {
            try stranger.sign($0)
        }
        #expect(try fault(jws) == .badSignature)
    }

    @Test func `an unknown, a missing and a foreign kid are refused`() throws {
        let parts = try parts()
        let header = Base64URL.encode(#"{"alg":"ES256"}"#.utf8)
        #expect(try fault("\(header).\(parts[1]).\(parts[2])") == .noKeyName)
        let stranger = KeyRing(try SigningKey.generate(.es256), createdAt: Samples.now)
        let foreign = try stranger.sign(Samples.history)
        #expect(try fault(foreign.jws) == .unknownKey(foreign.keyID))
    }

    @Test func `extensions that must be known are refused`() throws {
        let key = try Samples.key(.es256)
        let header: JSONValue = [
            "alg": "ES256", "kid": .string(key.publicKey.id), "crit": ["b64"], "b64": false,
        ]
        let jws = try CompactJWS.text(header: header, payload: Samples.history.jsonBytes) {
            try key.sign($0)
        }
        #expect(try fault(jws) == .form(.critical))
    }

    @Test func `a second spelling of a signature is refused`() throws {
        let parts = try parts()
        // 64 bytes leave four bits of the last character unused.
        let last = try #require(parts[2].last)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let place = try #require(alphabet.firstIndex(of: last))
        let twin = parts[2].endingIn(alphabet[place ^ 1])
        #expect(
            try fault("\(parts[0]).\(parts[1]).\(twin)") == .form(.spelling(.signature)))
        #expect(try fault(parts.joined(separator: ".") + "=") == .form(.spelling(.signature)))
    }

    @Test func `signed bytes that are no history are refused`() throws {
        let key = try Samples.key(.es256)
        let header: JSONValue = ["alg": "ES256", "kid": .string(key.publicKey.id)]
        for payload in ["{}", "[]", "x", #"{"transactions":[{}]}"#] {
            let jws = try CompactJWS.text(header: header, payload: Array(payload.utf8)) {
                try key.sign($0)
            }
            guard case .payload? = try fault(jws) else {
                Issue.record("\(payload) was taken for a history")
                continue
            }
        }
    }

    @Test(arguments: [
        "", ".", "..", "a.b", "a.b.c.d", "....", "AA.AA.AA", "e30.e30.", "W10.e30.AA",
    ])
    func `what is no JWS is refused`(text: String) throws {
        guard case .form? = try fault(text) else { Issue.record("\(text) was taken apart"); return }
    }

    @Test func `a header that repeats a member is refused`() throws {
        let jws = compact(#"{"alg":"ES256","kid":"a","kid":"b"}"#, "{}", [1])
        #expect(try fault(jws) == .form(.repeatedMember(.header)))
    }

    @Test func `a text longer than the limit is not looked at`() throws {
        let jws = try Samples.ring().sign(Samples.history).jws
        let keys = try Samples.ring().keySet
        let exact = HistoryVerifier(keys: keys, limitBytes: jws.utf8.count)
        #expect(try exact.verify(jws).history == Samples.history)
        #expect(throws: VerificationFault.form(.tooLong)) {
            try HistoryVerifier(keys: keys, limitBytes: jws.utf8.count - 1).verify(jws)
        }
    }
}
