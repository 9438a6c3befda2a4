import Testing
import Glibc

/// A daemon that is killed again and again, and everything that it ever promised.
final class KillWorld {
    private let daemon: Daemon
    private var random: Seeded
    /// What each key was answered with; nil while no answer came.
    private var answered: [String: String?] = [:]
    /// Keys that were answered in an earlier round.
    private var known: Set<String> = []
    /// Keys of which one answer said that they were new.
    private var accepted: Set<String> = []
    /// Transactions whose finish was accepted.
    private var finished: Set<String> = []
    /// Transactions whose finish was sent and never answered.
    private var perhapsFinished: Set<String> = []
    /// Transactions that an event showed as purchased, with their order.
    private var purchased: [String: String] = [:]
    private var epoch = ""
    private var lastSeen = 0
    private var nextKey = 0
    /// How long the daemon may work before it is killed, in microseconds; follows the machine.
    private var patience = 3000.0
    private var misses = 0

    /// Whether the kills have long come too late or too early.
    var isHopeless: Bool { misses > 60 }

    init(seed: UInt64) throws {
        random = Seeded(seed)
        daemon = try Daemon()
        try daemon.start()
    }

    /// Loads, kills, starts again, and checks every promise.
    ///
    /// - Returns: How many requests were in flight when the kill came.
    func round() throws -> Int {
        known = Set(answered.filter { $0.value != nil }.keys)
        let watcher = Bool.random(using: &random) ? try watch() : nil
        let clients = try (0..<4).map { _ in try daemon.connect() }
        let requests = clients.map { _ in burst(Int.random(in: 8...40, using: &random)) }
        for (client, requests) in zip(clients, requests) {
            client.type(requests.map(\.line).joined(separator: "\n"))
        }
        usleep(UInt32(Double.random(in: 0...patience, using: &random)))
        try daemon.killHard()
        if let watcher { remember(watcher.drain(within: 1)) }
        var inFlight = 0
        for (client, requests) in zip(clients, requests) {
            inFlight += try settle(requests, client.drain(within: 1))
        }
        adapt(inFlight)
        try daemon.start()
        try check()
        return inFlight
    }

    /// Stops the daemon in order.
    func close() throws {
        try daemon.stop()
    }

    // MARK: Load

    private struct Request {
        let line: String
        let key: String?
        let finish: String?
    }

    private func burst(_ count: Int) -> [Request] {
        let candidates = purchased.keys.filter { !finished.contains($0) }.sorted()
        return (0..<count).map { number in
            let dice = Int.random(in: 0..<10, using: &random)
            if dice < 3, let id = candidates.randomElement(using: &random) {
                return Request(line: Self.finish(id, number), key: nil, finish: id)
            }
            if dice < 4, let key = answered.keys.sorted().randomElement(using: &random) {
                return Request(line: Self.add(key, number), key: key, finish: nil)
            }
            nextKey += 1
            let key = "key-\(nextKey)"
            answered[key] = .some(nil)
            return Request(line: Self.add(key, number), key: key, finish: nil)
        }
    }

    private static func add(_ key: String, _ id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"add","#
            + #""params":{"product":"coins.100","key":"\#(key)"}}"#
    }

    private static func finish(_ transaction: String, _ id: Int) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"finish","#
            + #""params":{"transaction":"\#(transaction)"}}"#
    }

    private func watch() throws -> Line {
        let line = try daemon.connect()
        try line.call("subscribe", #"{"after":"now"}"#)
        return line
    }

    private func adapt(_ inFlight: Int) {
        if inFlight < 16 {
            patience = max(50, patience * 0.7)
            misses += 1
        } else {
            patience = min(200_000, patience * 1.1)
            misses = 0
        }
    }

    // MARK: Promises

    /// Takes the answers in, which came in the order of the requests.
    private func settle(_ requests: [Request], _ lines: [[UInt8]]) throws -> Int {
        for (request, line) in zip(requests, lines) {
            var reader = JSONReader(bytes: line)
            let answer = try reader.document()
            if let key = request.key {
                try promise(key, answer)
            } else if let id = request.finish {
                note(id, answer)
            }
        }
        for request in requests.dropFirst(lines.count) {
            if let id = request.finish, !finished.contains(id) { perhapsFinished.insert(id) }
        }
        return requests.count - lines.count
    }

    private func promise(_ key: String, _ answer: JSON) throws {
        guard let id = answer["result"]?["transaction"]?.string else {
            throw Trouble("add was refused: \(answer)")
        }
        if let before = answered[key] ?? nil {
            #expect(id == before, "key \(key) named another transaction before")
        }
        // Within a round another client may be served first.
        let isDuplicate = answer["result"]?["duplicate"]?.bool == true
        #expect(isDuplicate || !known.contains(key), "key \(key) was known")
        #expect(isDuplicate || accepted.insert(key).inserted, "key \(key) was new twice")
        answered[key] = id
    }

    private func note(_ id: String, _ answer: JSON) {
        switch answer["result"]?["disposition"]?.string {
        case "completing", "removed", "alreadyFinished":
            finished.insert(id)
            perhapsFinished.remove(id)
        default:
            Issue.record("finish of a purchased transaction was answered \(answer)")
        }
    }

    private func remember(_ lines: [[UInt8]]) {
        for line in lines {
            var reader = JSONReader(bytes: line)
            guard let event = try? reader.document() else { continue }
            lastSeen = max(lastSeen, event.seq ?? 0)
            remember(event)
        }
    }

    private func remember(_ event: JSON) {
        for transaction in event.transactions
        where transaction["transactionState"]?.string == "purchased" {
            guard let id = transaction["id"]?.string,
                let order = transaction["transactionIdentifier"]?.string
            else { continue }
            if let known = purchased[id] { #expect(known == order, "\(id) changed its order") }
            purchased[id] = order
        }
    }

    // MARK: Checks

    private func check() throws {
        let line = try daemon.connect()
        try checkLog(line)
        try line.call("subscribe")
        let shown = try line.notifications(within: 60) { $0.isCaughtUp }
        shown.forEach(remember)
        let updates = shown.filter { $0.kind == "transactionsUpdated" }
        let again = updates.filter { $0["params"]?["redelivery"]?.bool == true }
        let ids = again.flatMap(\.transactions).compactMap { $0["id"]?.string }
        #expect(Set(ids).count == ids.count, "redelivered twice")
        let redelivered = Set(updates.flatMap(\.transactions).compactMap { $0["id"]?.string })
        for case let id? in answered.values where !finished.contains(id) {
            let mayBeGone = perhapsFinished.contains(id)
            #expect(mayBeGone || redelivered.contains(id), "\(id) was acknowledged and is lost")
        }
        #expect(finished.isDisjoint(with: redelivered), "something finished came back")
        try checkKeys(line)
        try checkOrders(line)
        // What is settled by now is known for sure in the rounds to come.
        for id in perhapsFinished where !redelivered.contains(id) { finished.insert(id) }
        perhapsFinished.removeAll()
    }

    private func checkLog(_ line: Line) throws {
        let hello = try line.call("hello")
        let epochNow = hello["epoch"]?.string ?? ""
        #expect(epoch.isEmpty || epoch == epochNow, "the epoch changed")
        epoch = epochNow
        #expect((hello["head"]?.int ?? 0) >= lastSeen, "an event was seen that is undone")
    }

    /// Every key, asked for again, names the transaction that it named before; no two name one.
    private func checkKeys(_ line: Line) throws {
        let keys = answered.keys.sorted()
        let calls = keys.map { (method: "add", params: #"{"product":"coins.100","key":"\#($0)"}"#) }
        for (key, answer) in zip(keys, try line.askAll(calls)) { try promise(key, answer) }
        let ids = answered.values.compactMap(\.self)
        #expect(Set(ids).count == ids.count, "two keys name one transaction")
    }

    /// Transactions and orders belong to each other one to one.
    private func checkOrders(_ line: Line) throws {
        let settled = try eventually(within: 60) {
            let all = try self.everything(line)
            return all.allSatisfy { $0["transactionState"]?.string == "purchased" } ? all : nil
        }
        let transactions = try #require(settled, "some never became purchased")
        let orders = try line.everyOrder()
        let ids = transactions.compactMap { $0["id"]?.string }
        #expect(Set(ids).count == ids.count, "a transaction is listed twice")
        #expect(Set(ids) == Set(answered.values.compactMap(\.self)), "others than those added")
        var orderOf: [String: String] = [:]
        for order in orders {
            guard let id = order["transaction"]?.string, let name = order["order"]?.string else {
                Issue.record("an order without a transaction: \(order)")
                continue
            }
            #expect(orderOf.updateValue(name, forKey: id) == nil, "\(id) was charged twice")
        }
        #expect(Set(orderOf.values).count == orders.count, "an order id came twice")
        #expect(Set(orderOf.keys) == Set(ids), "orders and transactions differ")
        for transaction in transactions {
            guard let id = transaction["id"]?.string else { continue }
            let order = transaction["transactionIdentifier"]?.string
            #expect(order == orderOf[id], "\(id) names another order than the store")
            if let seen = purchased[id] { #expect(seen == order, "\(id) was seen with \(seen)") }
            purchased[id] = order
        }
    }

    private func everything(_ line: Line) throws -> [JSON] {
        var found: [JSON] = []
        let states = #""states":["purchasing","purchased","restored","failed","finished"]"#
        var page = ""
        while true {
            let part = try line.call("transactions", #"{\#(states),"limit":500\#(page)}"#)
            found += part["transactions"]?.array ?? []
            guard let next = part["next"]?.string else { return found }
            page = #","page":"\#(next)""#
        }
    }
}

extension Line {
    /// Every order of the sandbox.
    func everyOrder() throws -> [JSON] {
        var found: [JSON] = []
        var page: String?
        repeat {
            let params = page.map { #"{"page":"\#($0)"}"# } ?? "{}"
            let result = try call("test.orders", params)
            found += result["orders"]?.array ?? []
            page = result["next"]?.string
        } while page != nil
        return found
    }
}
