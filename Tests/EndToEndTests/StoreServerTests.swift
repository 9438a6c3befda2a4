import PaymentTesting
import Testing

/// The daemon in front of a store server, both of them killed at bad moments.
@Suite("A store server behind the queue", .ownThreads)
struct StoreServerTests {
    @Test("A purchase is paid and completed at the store, over whatever kills of either")
    func kills() throws {
        let rounds = Built.number("PAYQUEUED_STORE_ROUNDS", default: 4)
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let daemon = try Daemon(["--store", store.address], in: place)
        try daemon.start()
        try daemon.connect().call("login", #"{"account":"demo"}"#)
        var expected = 0
        for round in 0..<rounds {
            let line = try daemon.connect()
            try line.call("subscribe")
            for number in 1...12 {
                try line.call(
                    "add", #"{"product":"coins.100","key":"\#(round)-\#(number)"}"#)
            }
            expected += 12
            // Whoever dies does so while orders are on their way.
            if round.isMultiple(of: 2) { try store.killHard() } else { try daemon.killHard() }
            if round % 4 == 3 { try store.killHard() }
            if store.child == nil { try store.start() }
            if daemon.child == nil { try daemon.start() }
        }
        let line = try daemon.connect()
        try line.call("subscribe")
        var finished: Set<String> = []
        while finished.count < expected {
            for event in try line.notifications(until: { !$0.transactions.isEmpty }) {
                for transaction in event.transactions {
                    guard transaction["transactionState"]?.string == "purchased",
                        let id = transaction["id"]?.string, finished.insert(id).inserted
                    else { continue }
                    try line.call("finish", #"{"transaction":"\#(id)"}"#)
                }
            }
        }
        let isEmpty = try eventually(within: 60) {
            try line.call("status")["queue"]?["unfinished"]?.int == 0 ? true : nil
        }
        #expect(isEmpty == true, "something is left in the queue")
        try daemon.stop()
        try store.stop()
        let placed = store.records.filter { $0["t"]?.string == "orderPlaced" }
        let transactions = Set(placed.compactMap { $0["d"]?["transaction"]?.string })
        #expect(placed.count == expected && transactions.count == expected)
        #expect(transactions == finished)
        let completed = store.records.filter { $0["t"]?.string == "orderCompleted" }
        #expect(Set(completed.compactMap { $0["d"]?["order"]?.string }).count == expected)
    }

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
