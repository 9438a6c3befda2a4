import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTesting
import Testing

@Suite struct StoreKitFilesTests {
    @Test(
        .enabled(
            if: TestFiles.storekitFolder != nil,
            "the third-party .storekit files are not beside the checkout"),
        arguments: TestFiles.storekitFiles)
    func `every product of a real file is listed and can be bought`(file: URL) async throws {
        let bytes = Array(try Data(contentsOf: file))
        let store = try CatalogueFile.load(bytes: bytes, path: file.lastPathComponent)
        let expected = String(decoding: bytes, as: UTF8.self)
            .matches(of: /"productID"\s*:\s*"([^"]+)"/).map { String($0.1) }
        #expect(!expected.isEmpty)
        let listed = store.catalogue(of: store.defaultCountry).products
        #expect(Set(listed.map(\.productIdentifier.string)) == Set(expected))
        #expect(listed.count == expected.count)
        try await buy(listed, in: store)
    }

    @Test func `every product of the version 3 fixture can be bought`() async throws {
        let store = try CatalogueFile.load(
            bytes: try TestFiles.fixture("version3.storekit"), path: "version3.storekit")
        try await buy(store.catalogue(of: store.defaultCountry).products, in: store)
    }

    private func buy(_ products: [Product], in store: StoreCatalogue) async throws {
        let sandbox = try StoreSamples.sandbox(store: store)
        let session = try await sandbox.logIn(account: "somebody", credential: "anything")
        for (number, product) in products.enumerated() {
            let request = OrderRequest(
                transaction: StoreSamples.transaction(UInt64(number)), account: session.account,
                product: product, country: session.country, appAccountToken: nil)
            let outcome = try await sandbox.submit(request)
            guard case .purchased = outcome else {
                Issue.record("\(product.productIdentifier) ended as \(outcome)")
                continue
            }
        }
        #expect(await sandbox.testOrders().count == products.count)
    }

    @Test func `a key pair in a file reaches neither state, journal, errors nor descriptions`()
        async throws
    {
        let canary = "MIGTAgEAMBMGByqGSM49-canary"
        let keys = #""subscriptionOffersKeyPair":{"id":"canary-id","privateKey":"\#(canary)"}"#
        let product = #"{"productID":"a","type":"Consumable","displayPrice":"1"}"#
        let good = #"{\#(keys),"version":{"major":4},"products":[\#(product)]}"#
        let store = try CatalogueFile.load(bytes: Array(good.utf8), path: "keys.storekit")
        let journal = MemorySandboxJournal()
        let sandbox = try StoreSamples.sandbox(store: store, journal: journal)
        try await buy(store.catalogue(of: store.defaultCountry).products, in: store)
        var texts = ["\(store)", "\(journal.durableEvents)", "\(await sandbox.testSettings())"]
        dump(store, to: &texts[0])
        for broken in [
            #"{\#(keys),"version":{"major":1}}"#, #"{\#(keys),"products":[{}]}"#, #"{\#(keys),}"#,
            #"{\#(keys),"identifier":"\#("x")","settings":{"_storefront":"?"}}"#,
            #"{"identifier":"a","subscriptionOffersKeyPair":{"privateKey":"\#(canary)"#,
            #"{\#(keys),"a":1,"a":2}"#,
        ] {
            let error = try #require(throws: CatalogueFailure.self) {
                try CatalogueFile.load(bytes: Array(broken.utf8), path: "keys.storekit")
            }
            texts += ["\(error)", error.reason, String(reflecting: error)]
        }
        #expect(texts.allSatisfy { !$0.contains("canary") })
    }
}
