import StrictJSON

/// What scenarios ask for again and again.
extension Client {
    /// Logs in; throws unless that worked.
    func logIn(_ account: String = "anna") async throws {
        let reply = try await call("login", ["account": .string(account)])
        guard reply.code == nil else { throw Unexpected("login was refused: \(reply)") }
    }

    /// Buys something and names the transaction; throws unless it was accepted.
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

extension JSONValue {
    /// The ids of the transactions of an event.
    var transactionIDs: [JSONValue] {
        self["transactions"]?.arrayValue?.compactMap { $0["id"] } ?? []
    }
}
