import Foundation
import PaymentTesting
import Testing

/// What a reload puts in force, and what the service manager hears of it.
@Suite("Reloading the configuration", .ownThreads)
struct ReloadTests {
    @Test("A reload puts the new catalogue, roles and log level in force, and tells the manager")
    func good() throws {
        let manager = try Self.manager()
        let line = try Line(to: manager.socket)
        try line.call("subscribe", #"{"after":"now"}"#)
        #expect(try Self.products(line) == ["a"])
        try Self.configure(manager, products: ["a", "b"], more: #","logLevel":"debug""#)
        let changed = try line.call("reload")["changed"]?.array?.compactMap(\.string)
        #expect(changed?.sorted() == ["catalog", "logLevel"])
        _ = try line.notifications { $0.kind == "productsChanged" }
        #expect(try Self.products(line) == ["a", "b"])
        #expect(try line.call("reload")["changed"]?.array?.isEmpty == true)
        try Self.expectReloads(2, manager)
        try manager.stop()
    }

    @Test(
        "What cannot be used is refused with file, place and reason, and the old stays in effect",
        arguments: ["catalogue", "configuration"])
    func bad(what: String) throws {
        let manager = try Self.manager()
        let line = try Line(to: manager.socket)
        if what == "catalogue" {
            try Self.configure(manager, products: ["a", "b"])
            try manager.place.write("{", to: "catalogue.json")
        } else {
            try Self.configure(manager, products: ["a", "b"], more: #","loglevel":"debug""#)
        }
        let error = try line.ask("reload")["error"]
        #expect(error?["code"]?.int == 1701)
        let text = "\(error ?? .null)"
        #expect(text.contains(what == "catalogue" ? "catalogue.json" : "logLevel"))
        #expect(try Self.products(line) == ["a"])
        try Self.expectReloads(1, manager)
        #expect(manager.log.contains("the old configuration stays in effect"))
        try manager.stop()
    }

    @Test("SIGHUP reloads as the method does")
    func signal() throws {
        let manager = try Self.manager()
        let line = try Line(to: manager.socket)
        try line.call("subscribe", #"{"after":"now"}"#)
        try Self.configure(manager, products: ["c"])
        manager.child?.send(SIGHUP)
        _ = try line.notifications { $0.kind == "productsChanged" }
        #expect(try Self.products(line) == ["c"])
        try Self.expectReloads(1, manager)
        try Self.configure(manager, products: [], more: #","nonsense":1"#)
        manager.child?.send(SIGHUP)
        try Self.expectReloads(2, manager)
        #expect(try Self.products(line) == ["c"])
        try manager.stop()
    }

    @Test("An account that a reload takes out of the catalogue has no session any more")
    func withoutAccount() throws {
        let manager = try Self.manager()
        let line = try Line(to: manager.socket)
        try Self.configure(manager, products: ["a"], account: "anna")
        try line.call("reload")
        try line.call("login", #"{"account":"anna"}"#)
        try line.call("subscribe", #"{"after":"now","agent":["login"]}"#)
        try Self.configure(manager, products: ["a"])
        try line.call("reload")
        let news = try line.notifications { $0["params"]?["type"]?.string == "login" }
        let end = news.first { $0.kind == "storefrontChanged" }?["params"]
        #expect(end?["cause"]?.string == "sessionEnded" && end?["account"]?.string == "anna")
        #expect(try line.call("storefront")["account"] == .null)
        #expect(try line.ask("entitlements")["error"]?["code"]?.int == 1504)
        try Self.configure(manager, products: ["a"], account: "anna")
        try line.call("reload")
        try line.call("login", #"{"account":"anna"}"#)
        let id = try line.call("add", #"{"product":"a"}"#)["transaction"]?.string
        _ = try line.notifications { $0.shows(id, "purchased") }
        try manager.stop()
    }

    private static func manager() throws -> ServiceManager {
        let manager = try ServiceManager()
        manager.flags += ["--config", manager.place("config.json")]
        try configure(manager, products: ["a"])
        try manager.start()
        return manager
    }

    private static func products(_ line: Line) throws -> [String] {
        let listed = try line.call("products")["products"]?.array ?? []
        return listed.compactMap { $0["productIdentifier"]?.string }
    }

    /// Writes a configuration and its catalogue.
    private static func configure(
        _ manager: ServiceManager, products: [String], account: String = "demo", more: String = ""
    ) throws {
        let items = products.map {
            #"{"productIdentifier":"\#($0)","type":"consumable","localizedTitle":"\#($0)","#
                + #""localizedDescription":"","prices":{"DE":{"amount":"1.00","#
                + #""currencyCode":"EUR"}}}"#
        }
        let catalogue = try manager.place.write(
            #"{"version":1,"defaultCountry":"DE","accounts":[{"name":"\#(account)","country":"DE"}],"#
                + #""products":[\#(items.joined(separator: ","))]}"#, to: "catalogue.json")
        try manager.place.write(#"{"catalog":"\#(catalogue)"\#(more)}"#, to: "config.json")
    }

    /// Each reload began with its time and ended, in turn.
    private static func expectReloads(_ count: Int, _ manager: ServiceManager) throws {
        let words = { () -> [String] in
            let all = manager.messages
            let start = all.firstIndex { $0.contains("READY=1") }.map { $0 + 1 } ?? 0
            return all[start...].compactMap { message in
                if message.contains("RELOADING=1") {
                    return message.contains("MONOTONIC_USEC=") ? "begin" : "begin without a time"
                }
                return message.contains("READY=1") ? "end" : nil
            }
        }
        let expected = (0..<count).flatMap { _ in ["begin", "end"] }
        let found = eventually(within: 60) { words().count >= expected.count ? words() : nil }
        #expect(found == expected)
    }
}
