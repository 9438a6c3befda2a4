import Testing

/// The daemon in front of a store server that goes and comes.
@Suite("A store server behind the queue", .ownThreads)
struct StoreServerTests {
    @Test("While the store is away the queue accepts and says so, and serves when it is back")
    func away() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("subscribe")
        try store.killHard()
        let added = try line.call("add", #"{"product":"coins.100"}"#)
        #expect(added["waitingFor"]?.string == "store")
        let isDown = try eventually(within: 60) {
            try line.call("status")["store"]?["state"]?.string == "unavailable" ? true : nil
        }
        #expect(isDown == true)
        // Also a daemon that starts without its store knows what is sold.
        try daemon.killHard()
        try daemon.start()
        let again = try daemon.connect()
        try again.call("subscribe")
        let other = try again.call("add", #"{"product":"remove-ads"}"#)
        #expect(other["state"]?.string == "purchasing")
        try store.start()
        let id = other["transaction"]?.string
        _ = try again.notifications { $0.shows(id, "purchased") }
        try daemon.stop()
        try store.stop()
    }
}
