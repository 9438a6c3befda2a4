import PaymentCore
import PaymentHistory
import StrictJSON
import Testing

@Suite struct MerchantRegistryTests {
    @Test func `a merchant gets an id, a secret of 256 bits and a key id of its own`() throws {
        var random = Numbers(state: 1)
        var registry = MerchantRegistry()
        let first = try registry.add(name: "First", at: Samples.now, using: &random)
        let second = try registry.add(name: "First", at: Samples.now, using: &random)
        #expect(first.id != second.id && first.secrets[0].keyID != second.secrets[0].keyID)
        #expect(Base64URL.decode(first.secrets[0].text.utf8)?.count == 32)
        #expect(registry.holder(ofKey: second.secrets[0].keyID)?.merchant == second)
        #expect(registry[first.id] == first && registry["mer_"] == nil)
    }

    @Test func `a registry comes back from its file`() throws {
        var random = Numbers(state: 2)
        var registry = MerchantRegistry()
        let first = try registry.add(name: "Größe \"1\"", at: Samples.now, using: &random)
        _ = try registry.add(name: "Second", at: Samples.now, using: &random)
        _ = try registry.rotate(
            first.id, at: Samples.now, formerUntil: Samples.now.advanced(bySeconds: 5),
            using: &random)
        try registry.revoke(first.id, at: Samples.now)
        #expect(try MerchantRegistry(fileBytes: registry.fileBytes) == registry)
        #expect(try MerchantRegistry(fileBytes: MerchantRegistry().fileBytes) == MerchantRegistry())
    }

    @Test func `a file that was damaged is refused`() throws {
        var random = Numbers(state: 3)
        var registry = MerchantRegistry()
        let merchant = try registry.add(name: "First", at: Samples.now, using: &random)
        let text = String(decoding: registry.fileBytes, as: UTF8.self)
        let broken = [
            "", "{}", text.replacing("\"version\": 1", with: "\"version\": 2"),
            text.replacing(merchant.secrets[0].text, with: "short"),
            text.replacing("\"revokedAt\": null,", with: ""),
        ]
        for text in broken {
            #expect(throws: MerchantFault.badFile) {
                try MerchantRegistry(fileBytes: Array(text.utf8))
            }
        }
    }

    @Test func `rotating keeps so many secrets and shortens the time of the former`() throws {
        var random = Numbers(state: 4)
        var registry = MerchantRegistry()
        let merchant = try registry.add(name: "First", at: Samples.now, using: &random)
        var keyIDs = [merchant.secrets[0].keyID]
        for step in 1...10 {
            let now = Samples.now.advanced(bySeconds: Int64(step))
            let fresh = try registry.rotate(
                merchant.id, at: now, formerUntil: now.advanced(bySeconds: 60), using: &random)
            keyIDs.insert(fresh.keyID, at: 0)
        }
        let secrets = try #require(registry[merchant.id]).secrets
        #expect(secrets.map(\.keyID) == Array(keyIDs.prefix(MerchantRegistry.limitSecrets)))
        #expect(secrets[0].endsAt == nil)
        #expect(secrets[1].endsAt == Samples.now.advanced(bySeconds: 70))
        #expect(secrets[2].endsAt == Samples.now.advanced(bySeconds: 69))
    }

    @Test func `what is not there or was revoked cannot be changed`() throws {
        var random = Numbers(state: 5)
        var registry = MerchantRegistry()
        let merchant = try registry.add(name: "First", at: Samples.now, using: &random)
        #expect(throws: MerchantFault.unknownMerchant("x")) {
            try registry.revoke("x", at: Samples.now)
        }
        #expect(throws: MerchantFault.unknownSecret("k")) {
            try registry.revoke(merchant.id, key: "k", at: Samples.now)
        }
        for name in ["", "a\nb", String(repeating: "n", count: 129)] {
            #expect(throws: MerchantFault.badName) {
                try registry.add(name: name, at: Samples.now, using: &random)
            }
        }
        try registry.revoke(merchant.id, at: Samples.now)
        let once = registry
        try registry.revoke(merchant.id, at: Samples.now.advanced(bySeconds: 9))
        #expect(registry == once)
        #expect(throws: MerchantFault.revoked(merchant.id)) {
            try registry.rotate(
                merchant.id, at: Samples.now, formerUntil: Samples.now, using: &random)
        }
    }

    @Test func `nothing that prints a merchant prints its secret`() throws {
        var random = Numbers(state: 6)
        var registry = MerchantRegistry()
        let merchant = try registry.add(name: "First", at: Samples.now, using: &random)
        let secret = merchant.secrets[0]
        for text in ["\(merchant)", "\(secret)", String(reflecting: merchant), "\([merchant])"] {
            #expect(!text.contains(secret.text))
        }
    }
}
