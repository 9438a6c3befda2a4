import Foundation
import PaymentTesting
import Testing

/// Real catalogues, listed and bought.
@Suite("Catalogues", .ownThreads)
struct CatalogueTests {
    /// The `.storekit` files: third-party ones if they are there, and our own.
    private static var files: [URL] {
        let folder = FileManager.default
        let shared = Built.sharedData("storekit").flatMap {
            try? folder.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        let own = Built.root.appending(path: "Tests/PaymentSandboxTests/Fixtures")
        let fixtures = try? folder.contentsOfDirectory(at: own, includingPropertiesForKeys: nil)
        return ((shared ?? []) + (fixtures ?? [])).filter { $0.pathExtension == "storekit" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test("There is a .storekit file of our own to try")
    func ownFixture() {
        if Built.sharedData("storekit") == nil { Skip.because("no shared/data/storekit") }
        #expect(Self.files.contains { $0.path.contains("Fixtures") })
    }

    @Test("Every product of every .storekit file is listed and can be bought", arguments: files)
    func storekit(_ file: URL) throws {
        let expected = try Self.productIDs(in: file)
        #expect(!expected.isEmpty)
        let state = try Daemon(["--demo", "--catalog", file.path])
        try state.start()
        let line = try state.connect()
        let listed = try line.call("products")["products"]?.array ?? []
        #expect(Set(listed.compactMap { $0["productIdentifier"]?.string }) == expected)
        #expect(listed.allSatisfy { $0["price"]?["currencyCode"]?.string?.count == 3 })
        try line.call("subscribe")
        for product in expected.sorted() {
            let added = try line.call("add", #"{"product":"\#(product)","key":"\#(product)"}"#)
            let id = added["transaction"]?.string
            let last = try line.notifications {
                $0.shows(id, "purchased") || $0.shows(id, "failed")
            }.last
            #expect(last?.shows(id, "purchased") == true, "\(product)")
        }
        try state.stop()
    }

    @Test("A key pair inside a .storekit file reaches neither a file nor the log")
    func keyPair() throws {
        let canary = "MIGTAgEAMBMGByqGSM49-CANARY-\(UInt32.random(in: 0 ... .max))"
        let place = try Workplace()
        let catalogue = try place.write(
            #"""
            {"identifier":"x","version":{"major":3,"minor":0},"settings":{"_storefront":"DEU"},
             "subscriptionOffersKeyPair":{"id":"k","privateKey":"\#(canary)"},
             "products":[{"productID":"a","displayPrice":"1.00","type":"Consumable",
               "internalID":"1","referenceName":null,"familyShareable":false,
               "localizations":[{"locale":"en_US","displayName":"A","description":""}]}]}
            """#, to: "c.storekit")
        let daemon = try Daemon(["--demo", "--log-level", "debug", "--catalog", catalogue])
        try daemon.start()
        let line = try daemon.connect()
        try line.call("subscribe")
        let added = try line.call("add", #"{"product":"a"}"#)
        _ = try line.notifications { $0.shows(added["transaction"]?.string, "purchased") }
        try daemon.stop()
        let search = try Child.run(["grep", "-rl", canary, daemon.place.path], in: daemon.place)
        #expect(search.output.isEmpty)
    }

    @Test("A broken catalogue is refused with file, line, column and reason, and nothing starts")
    func broken() throws {
        let place = try Workplace()
        let catalogue = try place.write(
            "{\n  \"version\": 1,\n  \"products\": [,]\n}\n", to: "bad.json")
        let refused = try Child.run(
            [
                Built.daemon, "--demo", "--catalog", catalogue, "--socket", place("s"),
                "--state-directory", place("state"),
            ],
            in: place)
        #expect(refused.ending == .exit(78))
        #expect(refused.errors.contains(catalogue))
        #expect(refused.errors.contains("3") && refused.errors.contains("16"))
        #expect(!FileManager.default.fileExists(atPath: place("s")))
    }

    private static func productIDs(in file: URL) throws -> Set<String> {
        let catalogue = try JSON(String(decoding: Data(contentsOf: file), as: UTF8.self))
        let groups = catalogue["subscriptionGroups"]?.array ?? []
        let lists =
            [catalogue["products"], catalogue["nonRenewingSubscriptions"]]
            + groups.map { $0["subscriptions"] }
        return Set(lists.flatMap { $0?.array ?? [] }.compactMap { $0["productID"]?.string })
    }
}
