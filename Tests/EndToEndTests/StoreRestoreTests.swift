import PaymentTesting
import Testing

/// A store that loses everything and gets it back from its backup, and two queues that sell through it.
@Suite("A store that is wiped and restored", .ownThreads)
struct StoreRestoreTests {
    @Test("Each purchase is charged once and keeps its token, and no lost session is believed")
    func rounds() throws {
        let rounds = Built.number("PAYQUEUED_RESTORE_ROUNDS", default: 10)
        let world = try RestoreWorld()
        for round in 0..<rounds {
            try world.buy(in: round)
            try world.loseEverything()
            switch round % 3 {
            case 0: try world.restore(withSessions: true)
            case 1: try world.restore(withSessions: false)
            default:
                // For a while the store is there and knows nobody.
                try world.beginAnew()
                try world.restore(withSessions: true)
            }
            try world.finishAll()
        }
        try world.close()
    }

    @Test("A backup of a server at work is a state that a server starts on, and refuses to be none")
    func backup() throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        #expect(throws: Trouble.self) { try store.run("backup") }
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        let line = try daemon.connect()
        try line.call("login", #"{"account":"demo"}"#)
        try line.call("subscribe")
        let id = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        _ = try line.notifications { $0.shows(id, "purchased") }
        let merchant = try store.run("merchant", "add", "Example Games")["merchant"]?.string
        let path = try #require(try store.run("backup")["path"]?.string)
        let verified = try Child.run(
            [Built.control, "journal", "verify", "\(path)/sandbox"], in: place)
        #expect(verified.ending == .exit(0), "\(verified.errors)")
        // What comes later is not in it.
        let late = try line.call("add", #"{"product":"coins.100"}"#)["transaction"]?.string
        _ = try line.notifications { $0.shows(late, "purchased") }
        try daemon.stop()
        try store.stop()
        let other = try Workplace()
        let copied = try Child.run(["cp", "-a", path, other("store")], in: other)
        #expect(copied.ending == .exit(0), "\(copied.errors)")
        let again = StoreServer(in: other)
        try again.start()
        let merchants = try again.run("merchant", "list")
        #expect("\(merchants)".contains(try #require(merchant)))
        try again.stop()
        let placed = again.records.filter { $0["t"]?.string == "orderPlaced" }
        #expect(placed.map { $0["d"]?["transaction"]?.string } == [id])
    }
}
