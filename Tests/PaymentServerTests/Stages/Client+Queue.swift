import StrictJSON

/// What scenarios ask for again and again.
extension Client {
    /// Logs in; throws unless that worked.
    func logIn(_ account: String = "anna") async throws {
        let reply = try await call("login", ["account": .string(account)])
        guard reply.code == nil else { throw Unexpected("login was refused: \(reply)") }
    }

    /// Buys something and names the transaction; throws unless it was accepted.
    @discardableResult
    func add(_ product: String = "coins") async throws -> JSONValue {
        let reply = try await call("add", ["product": .string(product)])
        guard let id = reply["transaction"] else { throw Unexpected("add was refused: \(reply)") }
        return id
    }

    /// Subscribes and reads up to the first `caughtUp`.
    ///
    /// - Returns: The notifications before it.
    @discardableResult
    func subscribe(_ params: JSONValue = [:]) async throws -> [JSONValue] {
        let reply = try await call("subscribe", params)
        guard reply.code == nil else { throw Unexpected("subscribe was refused: \(reply)") }
        return try await notificationsUntilCaughtUp()
    }

    /// The notifications up to the next `caughtUp`, which is left out.
    func notificationsUntilCaughtUp() async throws -> [JSONValue] {
        var found: [JSONValue] = []
        while true {
            let message = try await notification()
            if message.params(of: "caughtUp") != nil { return found }
            found.append(message)
        }
    }

    /// The next event that is of a kind.
    func event(_ kind: String) async throws -> JSONValue {
        while true {
            guard let event = try await notification().params(of: "event") else { continue }
            if event["kind"] == .string(kind) { return event }
        }
    }

    /// Reads events until one shows a transaction in a state.
    @discardableResult
    func transaction(_ id: JSONValue, becomes state: String) async throws -> JSONValue {
        while true {
            let event = try await event("transactionsUpdated")
            let shown = event["transactions"]?.arrayValue?.first { $0["id"] == id }
            if let shown, shown["transactionState"] == .string(state) { return shown }
        }
    }

    /// Reads events until one shows what a transaction waits for.
    @discardableResult
    func transaction(_ id: JSONValue, waitsFor reason: String) async throws -> JSONValue {
        while true {
            let event = try await event("transactionsUpdated")
            let shown = event["transactions"]?.arrayValue?.first { $0["id"] == id }
            if let shown, shown["waitingFor"] == .string(reason) { return shown }
        }
    }

    /// A transaction as it is listed now; nil if it is not.
    func listed(_ id: JSONValue) async throws -> JSONValue? {
        let reply = try await call("transactions")
        return reply["transactions"]?.arrayValue?.first { $0["id"] == id }
    }

    /// What a transaction waits for now.
    func waitingFor(_ id: JSONValue) async throws -> JSONValue? {
        try await listed(id)?["waitingFor"]
    }

    /// Buys, waits for the payment, and names the transaction. Somebody has to watch.
    func buy(_ product: String = "coins") async throws -> JSONValue {
        let id = try await add(product)
        let reply = try await call("wait", ["transaction": id, "until": ["purchased"]])
        guard reply["reached"] == true else { throw Unexpected("it was not paid: \(reply)") }
        return id
    }

    /// Finishes and says what came of it.
    func finish(_ id: JSONValue) async throws -> JSONValue? {
        try await call("finish", ["transaction": id])["disposition"]
    }
}

/// What scenarios with a store, with questions and with restores ask for.
extension Client {
    /// Changes how the store behaves; throws unless that worked.
    @discardableResult
    func set(_ settings: JSONValue) async throws -> JSONValue {
        try await call("test.set", settings).get()
    }

    /// Lets the clock of the store go on and everything happen that falls due.
    func advanceStore(days: Int) async throws {
        try await call("test.clock.advance", ["seconds": .integer(days * 86_400)]).get()
    }

    /// Everything that the store knows, oldest first.
    func orders() async throws -> [JSONValue] {
        try await call("test.orders").get()["orders"]?.arrayValue ?? []
    }

    /// Subscribes and names what comes again.
    func redelivered(_ params: JSONValue = [:]) async throws -> [JSONValue] {
        try await subscribe(params).compactMap { $0.params(of: "event") }
            .filter { $0["redelivery"] == true }.flatMap(\.transactionIDs)
    }

    /// Subscribes as an agent that sees questions and no transactions.
    func attend(_ roles: JSONValue) async throws {
        try await subscribe(["agent": roles, "kinds": ["questionOpened", "questionClosed"]])
    }

    /// The next question of a type that this client is shown.
    func question(_ type: String) async throws -> JSONValue {
        while true {
            let event = try await event("questionOpened")
            if event["type"] == .string(type) { return event }
        }
    }

    /// Reads until a question has ended, unless that was heard already.
    func closing(_ question: JSONValue) async throws -> JSONValue {
        let name = question["question"]
        while true {
            let closed = heard.compactMap { $0.params(of: "event") }
                .first { $0["kind"] == "questionClosed" && $0["question"] == name }
            if let closed { return closed }
            _ = try await notification()
        }
    }

    /// Answers a question.
    @discardableResult
    func answer(_ question: JSONValue, _ value: Bool) async throws -> Reply {
        try await call(
            "answer", ["question": question["question"] ?? .null, "value": .bool(value)])
    }

    /// The questions that are open.
    func questions() async throws -> [JSONValue] {
        try await call("questions").get()["questions"]?.arrayValue ?? []
    }

    /// Asks for a restore and names it; throws unless it was accepted.
    func restore(_ params: JSONValue = [:]) async throws -> JSONValue {
        let reply = try await call("restore", params)
        guard let id = reply["restore"] else { throw Unexpected("no restore: \(reply)") }
        return id
    }

    /// Reads up to the end of a restore.
    ///
    /// - Returns: The transactions that were shown restored, each once, and the event of the end.
    func restored(_ id: JSONValue) async throws -> (transactions: [JSONValue], end: JSONValue) {
        var shown: [JSONValue] = []
        while true {
            guard let event = try await notification().params(of: "event") else { continue }
            let isUpdate = event["kind"] == "transactionsUpdated"
            for transaction in event["transactions"]?.arrayValue ?? []
            where isUpdate && transaction["transactionState"] == "restored"
                && !shown.contains(where: { $0["id"] == transaction["id"] })
            {
                shown.append(transaction)
            }
            if event["restore"] == id { return (shown, event) }
        }
    }

    /// Asks for a restore and reads up to its end, which has to be a success.
    func restoreAll(_ params: JSONValue = [:]) async throws -> [JSONValue] {
        let (transactions, end) = try await restored(restore(params))
        guard end["kind"] == "restoreCompleted" else { throw Unexpected("it failed: \(end)") }
        return transactions
    }

    /// Buys, finishes, and waits until it is gone. Somebody has to watch.
    @discardableResult
    func buyAndFinish(_ product: String) async throws -> JSONValue {
        let id = try await buy(product)
        _ = try await finish(id)
        try await call("wait", ["transaction": id, "until": ["removed"]]).get()
        return id
    }

    /// Reads until a transaction is shown purchased that nobody here asked for, for the first time.
    func appeared(_ product: String) async throws -> JSONValue {
        while true {
            let event = try await event("transactionsUpdated")
            let shown = event["transactions"]?.arrayValue?.first {
                $0.product == .string(product) && $0["transactionState"] == "purchased"
                    && $0["revision"] == 1
            }
            if let shown { return shown }
        }
    }

    /// What `status` says; nil where there is no server.
    func status() async throws -> JSONValue? {
        let reply = try await call("status")
        guard reply.code != -32601 else { return Optional.none }
        return try reply.get()
    }

    /// Waits until so many subscriptions are live.
    func observersLeft(_ count: Int) async throws {
        for _ in 0..<10_000 {
            let listed = try await call("observers").get()["observers"]?.arrayValue ?? []
            if listed.filter({ $0["connected"] != false }).count == count { return }
        }
        throw Unexpected("there are not \(count) subscriptions")
    }

    /// How many events about transactions have come, those that were not read yet included.
    func transactionEvents() async throws -> Int {
        _ = try await call("transactions").get()
        return heard.compactMap { $0.params(of: "event") }
            .count { $0["kind"] == "transactionsUpdated" }
    }

    /// The kinds of the events that were heard so far, redeliveries left out.
    var kindsHeard: [JSONValue?] {
        heard.compactMap { $0.params(of: "event") }.filter { $0["redelivery"] == nil }
            .map { $0["kind"] }
    }

    /// Every state that a transaction was shown in, in the order of showing.
    func statesHeard(of id: JSONValue) -> [JSONValue?] {
        heard.compactMap { $0.params(of: "event") }
            .flatMap { $0["transactions"]?.arrayValue ?? [] }.filter { $0["id"] == id }
            .map { $0["transactionState"] }
    }
}

extension Stage {
    /// A client that has added something in Germany and is in France now, before anybody watches.
    ///
    /// - Parameter policy: What `delegate` is told before.
    /// - Returns: The client and the transaction.
    /// - Throws: It did not come to that.
    func moved(_ policy: JSONValue = [:]) async throws -> (Client, JSONValue) {
        let client = try await client()
        try await client.call("delegate", policy).get()
        try await client.logIn()
        let id = try await client.add()
        try await client.set(["storefront": "FR"])
        return (client, id)
    }

    /// A client that is logged in and watches.
    func buyer(_ account: String = "anna") async throws -> Client {
        let client = try await client()
        try await client.logIn(account)
        try await client.subscribe()
        return client
    }
}

extension JSONValue {
    /// The product of a transaction.
    var product: JSONValue? { self["payment"]?["product"]?["productIdentifier"] }

    /// The ids of the transactions of an event.
    var transactionIDs: [JSONValue] {
        self["transactions"]?.arrayValue?.compactMap { $0["id"] } ?? []
    }
}
