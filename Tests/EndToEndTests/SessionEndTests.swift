import Foundation
import PaymentTesting
import Testing

/// A store that has forgotten the session of the queue.
@Suite("A session that the store does not know any more", .ownThreads)
struct SessionEndTests {
    private static let login = #"{"account":"carol","credential":"open-sesame"}"#

    @Test("It ends visibly, the login agent is asked once, and the purchase goes through once")
    func wiped() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let person = try daemon.connect()
        try person.call("login", Self.login)
        try person.call("products")
        let agent = try daemon.connect()
        try agent.call("subscribe", #"{"agent":["login"]}"#)
        try store.killHard()
        try FileManager.default.removeItem(atPath: place("store"))
        try store.start()
        // It waits for the login if the feed has found out by now, and is answered before otherwise.
        let buyer = try daemon.connect()
        let add = #"{"product":"coins.100","key":"k"}"#
        buyer.type(#"{"jsonrpc":"2.0","id":0,"method":"add","params":\#(add)}"#)
        var news = try agent.notifications { $0["params"]?["type"]?.string == "login" }
        let status = try person.call("status")
        #expect(status["account"] == .null)
        #expect(status["storefront"] == .null)
        #expect(status["sessionEnded"]?["account"]?.string == "carol")
        #expect(try person.call("storefront")["storefront"] == .null)
        for method in ["signedHistory", "entitlements"] {
            #expect(try person.ask(method)["error"]?["code"]?.int == 1504)
        }
        let doctor = try Child.run(
            [Built.control, "doctor", "--socket", daemon.socket], in: place)
        #expect(doctor.output.contains("bad   the store ended the session of 'carol'"))
        #expect(doctor.output.contains("payqueuectl login carol"))
        let list = try Child.run([Built.control, "list", "--socket", daemon.socket], in: place)
        #expect(list.output.contains("Note: the store ended the session of 'carol'"))
        // The end is kept, and so is the question: nobody has answered it.
        try person.call("login", Self.login)
        let id = try person.call("add", add)["transaction"]?.string
        news += try agent.notifications { $0.shows(id, "purchased") }
        let events = news.compactMap { $0["params"] }
        let ends = events.filter { $0["cause"]?.string == "sessionEnded" }
        #expect(ends.map { $0["account"]?.string } == ["carol"])
        #expect(ends.first?["to"] == .null)
        #expect(events.count { $0["kind"]?.string == "questionOpened" } == 1)
        let closed = events.filter { $0["kind"]?.string == "questionClosed" }
        #expect(closed.map { $0["value"]?.bool } == [true])
        #expect(daemon.log.contains("store ended the session; its work waits"))
        try daemon.stop()
        try store.stop()
        let placed = store.records.filter { $0["t"]?.string == "orderPlaced" }
        #expect(placed.map { $0["d"]?["transaction"]?.string } == [id])
    }

    @Test("A session that a configured credential opens again goes on, and nobody is asked")
    func configured() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let secret = try Secrets.file(
            #"{"accounts":{"carol":"open-sesame"}}"#, "credentials", in: place)
        let settings = try place.write(
            #"{"storeCredentials":"\#(secret)"}"#, to: "settings.json")
        let daemon = try Daemon(["--store", store.address, "--config", settings], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"carol"}"#)
        try line.call("products")
        try line.call("subscribe", #"{"agent":["login"]}"#)
        try store.killHard()
        try FileManager.default.removeItem(atPath: place("store"))
        try store.start()
        let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        let news = try line.notifications { $0.shows(id, "purchased") }
        #expect(
            news.allSatisfy {
                !["storefrontChanged", "questionOpened"].contains(
                    $0["params"]?["kind"]?.string ?? "")
            })
        try daemon.stop()
        try store.stop()
    }
}
