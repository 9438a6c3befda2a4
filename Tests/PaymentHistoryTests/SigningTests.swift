import PaymentCore
import StrictJSON
import Testing

@testable import PaymentHistory

@Suite struct SigningTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `what a ring signs is verified by its key set`(algorithm: SignatureAlgorithm) throws {
        let ring = try Samples.ring(algorithm)
        let signed = try ring.sign(Samples.history)
        #expect(signed.algorithm == algorithm.rawValue)
        #expect(signed.keyID == ring.current.publicKey.thumbprint)
        let parts = try CompactJWS(signed.jws.utf8, limit: 1 << 20)
        #expect(
            parts.header == ["alg": .string(algorithm.rawValue), "kid": .string(signed.keyID)])
        let keys = try KeySet(parsing: ring.keySet.jsonBytes)
        let verified = try HistoryVerifier(keys: keys).verify(signed.jws + "\n")
        #expect(verified.history == Samples.history)
        #expect(verified.key == ring.current.publicKey)
    }

    @Test func `after a rotation old histories verify and new ones have the new key`() throws {
        var ring = try Samples.ring(.rs256)
        let before = try ring.sign(Samples.history)
        let later = Samples.now.advanced(bySeconds: 60)
        ring.rotate(to: try Samples.key(.es256), at: later)
        let after = try ring.sign(Samples.history)
        #expect(before.keyID != after.keyID)
        #expect(ring.former.map(\.key.id) == [before.keyID] && ring.former[0].retiredAt == later)
        let verifier = HistoryVerifier(keys: ring.keySet)
        #expect(try verifier.verify(before.jws).key.algorithm == "RS256")
        #expect(try verifier.verify(after.jws).key.algorithm == "ES256")
        ring.rotate(to: try Samples.key(.es256), at: later)
        #expect(ring.keySet.keys.count == 2)
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `as much is signed as fits to the byte, and one purchase at least`(
        algorithm: SignatureAlgorithm
    ) throws {
        let ring = try Samples.ring(algorithm)
        let history = TransactionHistory(
            transactions: Array(repeating: Samples.history.transactions[0], count: 20))
        for count in 1...19 {
            let part = TransactionHistory(transactions: Array(history.transactions[..<count]))
            let length = try ring.sign(part).jws.utf8.count
            let exact = try ring.sign(history, limitBytes: length)
            // Characters of base64 come in fours; up to three of them may be too few for a byte.
            #expect(exact.count == count || exact.count == count - 1)
            let roomy = try ring.sign(history, limitBytes: length + 3)
            #expect(roomy.count == count && roomy.signed.jws.utf8.count == length)
            let tight = try ring.sign(history, limitBytes: length - 4)
            #expect(tight.count == max(1, count - 1))
            let keys = HistoryVerifier(keys: ring.keySet)
            #expect(try keys.verify(tight.signed.jws).history.transactions.count == tight.count)
        }
        #expect(try ring.sign(history, limitBytes: 1).count == 1)
        #expect(try ring.sign(TransactionHistory(transactions: []), limitBytes: 1).count == 0)
    }

    @Test func `no purchase is shorter than what pages are reckoned with`() {
        var least = Samples.purchase(1, "", .consumable, "2025-09-01T12:00:00.000Z")
        least.bundleID = ""
        least.productSlug = nil
        least.price = 0
        let one = TransactionHistory(transactions: [least]).jsonBytes.count
        let none = TransactionHistory(transactions: []).jsonBytes.count
        #expect(one - none >= InAppPurchase.leastBytes)
    }

    @Test func `only so many old keys are kept, the latest of them`() throws {
        var ring = try Samples.ring()
        var ids: [String] = []
        for _ in 0..<(KeyRing.formerLimit + 3) {
            ids.append(ring.current.publicKey.id)
            ring.rotate(to: try SigningKey.generate(.es256), at: Samples.now)
        }
        #expect(ring.former.map(\.key.id) == Array(ids.reversed().prefix(KeyRing.formerLimit)))
    }

    @Test func `a ring comes back from its file and signs with the same key`() throws {
        for algorithm in SignatureAlgorithm.allCases {
            var ring = try Samples.ring(algorithm)
            ring.rotate(to: try SigningKey.generate(.es256), at: Samples.now)
            let again = try KeyRing(fileBytes: ring.fileBytes)
            #expect(again.keySet == ring.keySet && again.former == ring.former)
            #expect(again.createdAt == ring.createdAt)
            let jws = try again.sign(Samples.history).jws
            #expect(try HistoryVerifier(keys: ring.keySet).verify(jws).history == Samples.history)
        }
    }

    @Test(arguments: ["", "{}", #"{"version":2}"#, "[]", "\u{0}"])
    func `a file that is no ring is refused`(text: String) {
        #expect(throws: KeyRingFault.notARing) { try KeyRing(fileBytes: Array(text.utf8)) }
    }

    @Test func `a ring whose key was exchanged is refused, and the fault does not show it`() throws
    {
        let text = String(decoding: try Samples.ring().fileBytes, as: UTF8.self)
        let other = try SigningKey.generate(.es256).publicKey.id
        let broken = text.replacing(try Samples.ring().current.publicKey.id, with: other)
        let fault = #expect(throws: KeyRingFault.self) {
            try KeyRing(fileBytes: Array(broken.utf8))
        }
        #expect(fault == .badKey)
        #expect(fault?.description.contains("PRIVATE") == false)
    }

    @Test func `a key set shows no private number`() throws {
        for algorithm in SignatureAlgorithm.allCases {
            let text = try Samples.ring(algorithm).keySet.jsonValue
            let names = Set(text["keys"]?[0]?.members?.map(\.name) ?? [])
            #expect(names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
            #expect(text["keys"]?[0]?["use"] == "sig")
        }
    }

    @Test func `foreign keys of a set are passed over, broken ones are refused`() throws {
        let key = try Samples.ring().keySet.jsonValue["keys"]?[0] ?? .null
        let foreign: JSONValue = [
            "keys": [
                ["kty": "oct", "k": "AAAA"], ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"], key,
            ]
        ]
        #expect(try KeySet(parsing: Array(foreign.jsonText().utf8)).keys.count == 1)
        let broken: [(JSONValue, KeySetFault)] = [
            (["keys": [key, key]], .repeatedName), (["keys": 1], .noKeys),
            (["keys": [["kty": "RSA", "n": "AQAB", "e": "AQAB"]]], .unusable),
            (["keys": [["kty": "RSA", "e": "AQAB"]]], .badNumber("n")),
            (["keys": [["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]]], .unusable),
            (["keys": [["kty": "EC", "crv": "P-256", "x": "A", "y": "AA"]]], .badNumber("x")),
            (["keys": .array(Array(repeating: key, count: 65))], .tooLong),
        ]
        for (value, fault) in broken {
            #expect(throws: fault) { try KeySet(parsing: Array(value.jsonText().utf8)) }
        }
        #expect(throws: KeySetFault.notJSON) {
            try KeySet(parsing: Array(#"{"keys":[],"keys":[]}"#.utf8))
        }
    }
}
