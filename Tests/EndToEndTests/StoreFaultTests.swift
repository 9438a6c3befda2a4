import Foundation
import PaymentTesting
import Testing

/// The daemon in front of a store server, over a way that loses, doubles and garbles, while one or both
/// of them are killed.
@Suite("A faulty way to the store", .ownThreads)
struct StoreFaultTests {
    /// Who is killed.
    enum Victims: String, CaseIterable, CustomTestStringConvertible {
        case nobody, store, both

        var testDescription: String { rawValue }

        var seed: UInt64 { self == .nobody ? 1 : self == .store ? 2 : 3 }
    }

    /// How many purchases; a make target asks for more.
    private static let total = Built.number("PAYQUEUED_FAULTY_PURCHASES", default: 36)
    /// So many are under way at a time.
    private static let batch = 12
    /// Somebody is killed in one of so many batches.
    private static let batchesPerKill = min(20, max(1, total / batch - 1))

    @Test(
        "Every order is charged exactly once, and every transaction ends in one state",
        arguments: Victims.allCases)
    func exactlyOnce(victims: Victims) throws {
        let place = try Workplace()
        let store = StoreServer(in: place)
        try store.start()
        let door = try StoreDoor(to: store.socket, seed: victims.seed)
        defer { door.stop() }
        let daemon = try Daemon(["--store", door.address], in: place)
        try daemon.start()
        var buyer = FaultyBuyer(line: try daemon.connect())
        try buyer.line.call("login", #"{"account":"demo"}"#)
        try buyer.line.call("products")
        try buyer.line.call("subscribe")
        door.set(.faulty(percent: 35))
        var kills = 0
        for first in stride(from: 0, to: Self.total, by: Self.batch) {
            let count = min(Self.batch, Self.total - first)
            try buyer.add(first..<first + count)
            if victims != .nobody, (first / Self.batch) % Self.batchesPerKill == 1 {
                kills += 1
                if victims == .both {
                    try daemon.killHard()
                    try daemon.start()
                    buyer.line = try daemon.connect()
                    try buyer.line.call("subscribe")
                }
                try store.killHard()
                try store.start()
            }
            try buyer.deliver(until: first + count)
        }
        let isEmpty = try eventually(within: 120) {
            try buyer.line.call("status")["queue"]?["unfinished"]?.int == 0 ? true : nil
        }
        let left = try buyer.line.call("transactions", #"{"limit":5}"#)
        let status = try buyer.line.call("status")
        #expect(isEmpty == true, "left: \(left); \(status)")
        #expect(buyer.accepted.count == Self.total)
        #expect(Set(buyer.orders.keys) == buyer.accepted)
        #expect(Set(buyer.orders.values).count == Self.total, "two transactions share an order")
        #expect(buyer.surprises == [])
        #expect(victims == .nobody || kills > 0)
        let counts = try store.orderCounts()
        #expect(counts.filter { $0.value > 0 } == ["purchased": Self.total])
        print("\(victims): \(Self.total) purchases, \(kills) kills, \(door.notes.faults)")
        try daemon.stop()
        try store.stop()
    }
}

/// Buys, delivers what is paid, and writes down what became of each transaction.
private struct FaultyBuyer {
    var line: Line
    /// Every transaction that was accepted.
    var accepted: Set<String> = []
    /// The order of each transaction that was paid.
    var orders: [String: String] = [:]
    /// What should not have come.
    var surprises: [String] = []

    init(line: Line) {
        self.line = line
    }

    /// Buys once for each number.
    mutating func add(_ numbers: Range<Int>) throws {
        let answers = try line.askAll(
            numbers.map { ("add", #"{"product":"coins.100","key":"\#($0)"}"#) })
        for answer in answers {
            guard let id = answer["result"]?["transaction"]?.string else {
                throw Trouble("add was refused: \(answer)")
            }
            accepted.insert(id)
        }
    }

    /// Finishes what is paid until so many were.
    mutating func deliver(until count: Int) throws {
        while orders.count < count {
            let news = try line.notifications(within: 300) { !$0.transactions.isEmpty }
            for transaction in news.flatMap(\.transactions) { try take(transaction) }
        }
    }

    private mutating func take(_ transaction: JSON) throws {
        let id = transaction["id"]?.string ?? ""
        switch transaction["transactionState"]?.string {
        case "purchasing": if orders[id] != nil { surprises.append("\(id) went back") }
        case "purchased":
            let order = transaction["transactionIdentifier"]?.string ?? ""
            guard let known = orders.updateValue(order, forKey: id) else {
                try line.call("finish", #"{"transaction":"\#(id)"}"#)
                return
            }
            if known != order { surprises.append("\(id) has two orders") }
        default: surprises.append("\(transaction)")
        }
    }
}
