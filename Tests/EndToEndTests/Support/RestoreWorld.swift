import Foundation
import Testing

/// A store with two accounts, each of which has a daemon of its own, and a backup of the store.
final class RestoreWorld {
    /// An account, its daemon and what was bought with it.
    private struct Buyer {
        let account: String
        let daemon: Daemon
        /// The token of each purchase, by transaction.
        var tokens: [String: String] = [:]
        /// Purchases that were not finished yet.
        var open: [String] = []
    }

    private static let purchasesOfRound = 3
    private let place: Workplace
    private let store: StoreServer
    private var buyers: [Buyer] = []
    private var backup: String { place("backup") }

    /// Starts all of it and logs in.
    init() throws {
        place = try Workplace()
        store = StoreServer(in: place)
        store.flags = ["--catalog", try Secrets.file(Self.catalogue, "catalogue.json", in: place)]
        try store.start()
        for account in ["anna", "bert"] {
            let daemon = try Daemon(["--store", store.address])
            try daemon.start()
            buyers.append(Buyer(account: account, daemon: daemon))
            try logIn(buyers[buyers.count - 1])
        }
    }

    /// Buys with both daemons and finishes some of it; then the store is backed up.
    func buy(in round: Int) throws {
        for index in buyers.indices {
            let line = try buyers[index].daemon.connect()
            try line.call("subscribe", #"{"after":"now"}"#)
            for number in 1...Self.purchasesOfRound {
                let token = "\(buyers[index].account)-\(round)-\(number)"
                let params = #"{"product":"coins","appAccountToken":"\#(token)","key":"\#(token)"}"#
                let added = try line.call("add", params)
                #expect(added["duplicate"]?.bool == false)
                let id = try #require(added["transaction"]?.string)
                let paid = try line.call(
                    "wait", #"{"transaction":"\#(id)","until":["purchased"],"timeout":60}"#
                )["transaction"]
                #expect(paid?["transactionState"]?.string == "purchased", "\(added)")
                #expect(paid?["charged"]?["amount"]?.string == "0.99")
                #expect(paid?["payment"]?["appAccountToken"]?.string == token)
                buyers[index].tokens[id] = token
                buyers[index].open.append(id)
            }
            try finish(1, of: index, line)
        }
        let written = try #require(try store.run("backup")["path"]?.string)
        try shell("rm", "-rf", backup)
        try shell("cp", "-a", written, backup)
    }

    /// Kills the store and takes its state away.
    func loseEverything() throws {
        try store.killHard()
        try shell("rm", "-rf", place("store"))
    }

    /// Starts the store on its backup. Where it knows its sessions no more, they end and are begun anew.
    func restore(withSessions: Bool) throws {
        try shell("cp", "-a", backup, place("store"))
        if !withSessions { try shell("rm", "-rf", place("store/sessions")) }
        try store.start()
        for buyer in buyers {
            if !withSessions { try expectEnd(of: buyer) }
            if try !isLoggedIn(buyer) { try logIn(buyer) }
        }
    }

    /// Starts the store on nothing, expects that nobody goes on as before, and takes it away again.
    func beginAnew() throws {
        try store.start()
        for buyer in buyers { try expectEnd(of: buyer) }
        try loseEverything()
    }

    /// Finishes what was bought before the store was lost.
    func finishAll() throws {
        for index in buyers.indices {
            let line = try buyers[index].daemon.connect()
            try line.call("subscribe", #"{"after":"now"}"#)
            // A repeated key finds its purchase, and the store sells nothing twice.
            for id in buyers[index].open {
                let token = try #require(buyers[index].tokens[id])
                let params = #"{"product":"coins","appAccountToken":"\#(token)","key":"\#(token)"}"#
                let again = try line.call("add", params)
                #expect(again["duplicate"]?.bool == true)
                #expect(again["transaction"]?.string == id)
            }
            try finish(buyers[index].open.count, of: index, line)
            #expect(try line.call("transactions")["transactions"]?.array?.isEmpty == true)
        }
    }

    /// Stops everything and compares what the store has with what was bought.
    func close() throws {
        for buyer in buyers {
            let entries = try history(of: buyer)
            #expect(entries.allSatisfy { $0["price"]?.int == 99 })
            let tokens = entries.compactMap { $0["app_account_token"]?.string }
            #expect(tokens.sorted() == buyer.tokens.values.sorted())
            try buyer.daemon.stop()
        }
        try store.stop()
        let records = store.records
        let placed = records.filter { $0["t"]?.string == "orderPlaced" }.compactMap { $0["d"] }
        let completed = records.filter { $0["t"]?.string == "orderCompleted" }
        #expect(placed.count == buyers.map(\.tokens.count).reduce(0, +))
        #expect(completed.count == placed.count)
        for buyer in buyers {
            let own = placed.filter { $0["account"]?.string == buyer.account }
            #expect(own.count == buyer.tokens.count)
            for order in own {
                let token = buyer.tokens[order["transaction"]?.string ?? ""]
                #expect(token != nil && order["token"]?.string == token)
            }
        }
    }

    private func finish(_ count: Int, of index: Int, _ line: Line) throws {
        for id in buyers[index].open.prefix(count) {
            try line.call("finish", #"{"transaction":"\#(id)"}"#)
            try line.call(
                "wait", #"{"transaction":"\#(id)","until":["removed"],"timeout":60}"#)
        }
        buyers[index].open.removeFirst(count)
    }

    private func logIn(_ buyer: Buyer) throws {
        let account = buyer.account
        try buyer.daemon.connect().call(
            "login", #"{"account":"\#(account)","credential":"secret-of-\#(account)"}"#)
    }

    /// Whether the store gives an answer to the account of a daemon.
    private func isLoggedIn(_ buyer: Buyer) throws -> Bool {
        let line = try buyer.daemon.connect()
        let answer: Bool? = try eventually(within: 60) {
            let asked = try line.ask("entitlements")
            if asked["error"]?["code"]?.int == 1504 { return false }
            return asked["result"] != nil ? true : nil
        }
        guard let answer else { throw Trouble("the store does not answer") }
        return answer
    }

    /// Expects that a daemon finds out that the store does not know its session, and says so.
    private func expectEnd(of buyer: Buyer) throws {
        #expect(try !isLoggedIn(buyer), "the session of \(buyer.account) is still believed")
        let status = try buyer.daemon.connect().call("status")
        #expect(status["account"] == .null && status["storefront"] == .null)
        #expect(status["sessionEnded"]?["account"]?.string == buyer.account)
    }

    /// Every entry of an account's signed history.
    private func history(of buyer: Buyer) throws -> [JSON] {
        let line = try buyer.daemon.connect()
        var entries: [JSON] = []
        var page: String?
        repeat {
            let params = page.map { #"{"page":"\#($0)"}"# }
            let signed = try line.call("signedHistory", params)
            let body = signed["jws"]?.string?.split(separator: ".").dropFirst().first ?? ""
            let plain = body.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            let filling = String(repeating: "=", count: (4 - plain.count % 4) % 4)
            let data = try #require(Data(base64Encoded: String(plain) + filling))
            entries +=
                try JSON(String(decoding: data, as: UTF8.self))["transactions"]?.array ?? []
            page = signed["next"]?.string
        } while page != nil
        return entries
    }

    private func shell(_ words: String...) throws {
        let done = try Child.run(words, in: place)
        guard done.ending == .exit(0) else { throw Trouble("\(words): \(done.errors)") }
    }

    private static let catalogue = #"""
        {"version": 1, "defaultCountry": "DE",
         "accounts": [
           {"name": "anna", "country": "DE", "credential": "secret-of-anna"},
           {"name": "bert", "country": "DE", "credential": "secret-of-bert"}],
         "products": [
           {"productIdentifier": "coins", "type": "consumable", "localizedTitle": "Coins",
            "localizedDescription": "Coins", "prices": {
              "DE": {"amount": "0.99", "currencyCode": "EUR"}}}]}
        """#
}
