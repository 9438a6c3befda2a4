import Foundation
import PaymentTesting
import Testing

/// What the queue does while nobody answers at the store's address, and when somebody does again.
@Suite("A store that is away", .ownThreads)
struct StoreAwayTests {
    private static let width = 16
    private static let probeSpacing = Duration.seconds(5)

    @Test("The queue accepts, says so, looks every five seconds, then sends 16 at a time, in order")
    func away() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let door = try StoreDoor(to: store.socket)
        defer { door.stop() }
        let manager = try NotifySocket(at: place("notify"))
        let daemon = try Daemon(["--store", door.address], in: place)
        daemon.environment["NOTIFY_SOCKET"] = manager.path
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("products")
        try line.call("subscribe")
        // The feed is there, so that its end is noticed.
        _ = try #require(eventually(within: 60) { door.notes.firstIn })
        door.set(.shut)
        let total = 3 * Self.width + 5
        let answers = try line.askAll(
            (0..<total).map { ("add", #"{"product":"coins.100","key":"\#($0)"}"#) })
        let accepted = answers.compactMap { $0["result"]?["transaction"]?.string }
        #expect(accepted.count == total, "\(answers.first { $0["error"] != nil } ?? .null)")
        #expect(answers.allSatisfy { $0["result"]?["waitingFor"]?.string == "store" })

        _ = try manager.states(within: 60) {
            $0.contains("\(total) wait for store") && $0.contains("store down")
        }
        let status = try line.call("status")
        #expect(status["store"]?["state"]?.string == "unavailable")
        #expect(status["store"]?["lastError"]?.string?.isEmpty == false)
        #expect(status["queue"]?["waitingFor"]?["store"]?.int == total)

        let isProbed = eventually(within: 60) {
            door.notes.knocks.contains(where: \.isProbe) ? true : nil
        }
        #expect(isProbed == true, "nobody looks whether the store is back")
        door.set(.turnstile(width: Self.width, total: total))
        let back = try #require(eventually(within: 60) { door.notes.firstIn })
        let knocks = door.notes.knocks
        // Before the queue took the store for down it tried a little; since then it only looks.
        let burst = knocks.prefix { !$0.isProbe }.count
        #expect(burst <= 2 * Self.width + 8, "\(burst) attempts before it was taken for down")
        let looks = knocks[burst...] + [back]
        let others = looks.filter { !$0.isProbe }.map(\.line)
        #expect(others == [])
        for (one, next) in zip(looks, looks.dropFirst()) {
            #expect(next.time - one.time >= Self.probeSpacing)
        }

        let isEmpty = try eventually(within: 60) {
            try line.call("status")["queue"]?["waitingFor"]?["store"]?.int ?? 0 == 0 ? true : nil
        }
        #expect(isEmpty == true, "something still waits for the store")
        let notes = door.notes
        #expect(notes.mostInFlight == Self.width)
        let wanted = stride(from: 0, to: total, by: Self.width).map {
            Set(accepted[$0..<min($0 + Self.width, total)])
        }
        let groups = notes.groups.map { Set($0) }
        #expect(groups == wanted, "they did not leave in order of acceptance")
        _ = try manager.states(within: 60) { $0.contains("store up") }
        try daemon.stop()
        try store.stop()
        let placed = store.records.filter { $0["t"]?.string == "orderPlaced" }
        #expect(placed.compactMap { $0["d"]?["transaction"]?.string }.count == total)
    }

    @Test(
        "What waited while the account moved is charged in the new country only as the gate says",
        arguments: ["stop", "continue"])
    func movedMeanwhile(mode: String) throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        let catalogues = try ["DE", "US"].map { country in
            try place.write(Self.catalogue(accountIn: country), to: "\(country).json")
        }
        store.flags = ["--catalog", catalogues[0]]
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"alice"}"#)
        try line.call("products")
        try line.call("subscribe")
        try line.call("delegate", #"{"mode":"\#(mode)"}"#)
        try store.killHard()
        let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        store.flags = ["--catalog", catalogues[1]]
        try store.start()
        if mode == "stop" {
            let news = try line.notifications(within: 90) { $0.removes(id) }
            #expect(news.last?["params"]?["reason"]?.string == "discardedByGate")
            #expect(try store.orderCounts().allSatisfy { $0.value == 0 })
        } else {
            let news = try line.notifications(within: 90) { $0.shows(id, "purchased") }
            let bought = news.last?.transactions.first { $0["id"]?.string == id }
            #expect(bought?["storefront"]?["countryCode"]?.string == "US")
            let price = bought?["payment"]?["product"]?["price"]
            #expect(price?["currencyCode"]?.string == "USD")
        }
        try daemon.stop()
        try store.stop()
    }

    private static func catalogue(accountIn country: String) -> String {
        #"{"version":1,"defaultCountry":"DE","accounts":[{"name":"alice","country":"\#(country)"}],"#
            + #""products":[{"productIdentifier":"coins.100","type":"consumable","#
            + #""localizedTitle":"Coins","localizedDescription":"Many of them","prices":{"#
            + #""DE":{"amount":"1.99","currencyCode":"EUR"},"US":{"amount":"2.49","currencyCode":"USD"}}}]}"#
    }
}
