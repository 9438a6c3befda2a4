import StrictJSON
import Testing

extension Scenario {
    /// What is charged, and to whom an order belongs.
    static let money: [Scenario] = [
        Scenario(
            "a renewal has the token of the latest purchase, and a restore finds it by that"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club", for: "user-A")
            try await client.call("test.expire", ["product": "club"]).get()
            try await client.buyAndFinish("club", for: "user-B")
            #expect(try await client.owners(ofRestored: "user-A") == [])
            #expect(try await client.owners(ofRestored: "user-B") == ["user-B"])
            try await client.advanceStore(days: 32)
            let renewal = try await client.appeared("club")
            #expect(renewal["payment"]?["appAccountToken"] == "user-B")
            _ = try await client.finish(try #require(renewal["id"]))
            try await client.call("wait", ["transaction": try #require(renewal["id"])]).get()
            #expect(try await client.owners(ofRestored: "user-A") == [])
            #expect(try await client.owners(ofRestored: "user-B") == ["user-B"])
        },
        Scenario("no transaction has a token that no client sent") { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("club", for: "user-A")
            try await client.call("test.expire", ["product": "club"]).get()
            try await client.buyAndFinish("club")
            try await client.advanceStore(days: 32)
            #expect(try await client.appeared("club")["payment"]?["appAccountToken"] == nil)
            let tokens = try await client.orders().map { $0["appAccountToken"] }
            #expect(tokens == ["user-A", nil, nil])
            let history = try await client.history().transactions
            #expect(history.count { $0.appAccountToken == "user-A" } == 1)
            #expect(history.count { $0.appAccountToken == nil } == 2)
        },
        Scenario(
            "an offer that is used up before the charge opens a question"
        ) { stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            let id = try await client.add("bronze")
            // Bought on another device, and over, before anybody here watches.
            try await client.call("test.buy", ["product": "bronze"]).get()
            try await client.call("test.expire", ["product": "bronze"]).get()
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            #expect(question["transaction"] == id && question["cause"] == "price")
            #expect(question["price"]?["amount"] == "4.99")
            #expect(try await client.orders().count == 1)
            try await client.answer(question, true).get()
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid.charged == "4.99" && paid["offer"] == nil)
        },
        Scenario("a free purchase opens no question") { stage in
            let client = try await stage.client()
            try await client.call("delegate", ["mode": "ask"]).get()
            try await client.logIn()
            try await client.subscribe()
            try await client.buyAndFinish("gold")
            let id = try await client.add("silver")
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid.charged == "0.00" && paid["offer"] == "scheduled")
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario(
            "a refund before the finish is reported once, redelivered, and ended by the finish"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            try await client.call("test.refund", ["transaction": id]).get()
            _ = try await client.event("entitlementsRevoked")
            let later = try await stage.client()
            let shown = try await later.subscribe().compactMap { $0.params(of: "event") }
                .flatMap { $0["transactions"]?.arrayValue ?? [] }
            #expect(shown.map { $0["id"] } == [id])
            #expect(shown.first?["transactionState"] == "purchased")
            #expect(shown.first?["revocation"]?["reason"] == "refund")
            #expect(shown.first?["revocation"]?["at"] != nil)
            #expect(shown.first?.charged == "9.99")
            #expect(try await later.finish(id) == "removed")
            #expect(try await client.event("transactionsRemoved")["reason"] == "finished")
            let marked = client.heard.compactMap { $0.params(of: "event") }
                .filter { $0["kind"] == "transactionsUpdated" }
                .flatMap { $0["transactions"]?.arrayValue ?? [] }
                .filter { $0["revocation"] != nil && $0["id"] == id }
            #expect(marked.count == 1)
        },
        Scenario("a refund counts as the completion of a finished purchase") { stage in
            let client = try await stage.buyer()
            try await client.set(["simulatedErrors": ["completion": "connectionError"]])
            let id = try await client.buy("book")
            #expect(try await client.finish(id) == "completing")
            try await client.call("test.refund", ["transaction": id]).get()
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id] && removed["reason"] == "finished")
            #expect(removed["by"] != nil)
            _ = try await client.event("entitlementsRevoked")
            #expect(try await client.finish(id) == "alreadyFinished")
        },
        Scenario(
            "an owned product is not sold again: the purchase names the existing order"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("book", for: "user-A")
            let order = try #require(try await client.orders().first?["order"])
            let params: JSONValue = ["product": "book", "appAccountToken": "user-B", "key": "k"]
            let id = try #require(try await client.call("add", params)["transaction"])
            let again = try await client.transaction(id, becomes: "purchased")
            #expect(again["transactionIdentifier"] == order)
            #expect(again["payment"]?["appAccountToken"] == "user-A")
            #expect(again.charged == "0.00" && again["offer"] == "alreadyOwned")
            // The key stands for what was sent with it.
            let repeated = try await client.call("add", params)
            #expect(repeated["duplicate"] == true && repeated["transaction"] == id)
            // The store is not asked to complete anything: it could not.
            try await client.set(["simulatedErrors": ["completion": "connectionError"]])
            #expect(try await client.finish(id) == "removed")
            #expect(try await client.event("transactionsRemoved").transactionIDs == [id])
            let orders = try await client.orders()
            #expect(orders.map(\.charged) == ["9.99"])
            #expect(orders.first?["appAccountToken"] == "user-A")
        },
        Scenario(
            "a downgrade is scheduled, and its renewal has the price and token of the downgrade"
        ) { stage in
            let client = try await stage.buyer()
            try await client.buyAndFinish("gold", for: "user-A")
            let end = try await client.orders().first?["expiresAt"]
            let id = try await client.buyAndFinish("silver", for: "user-B")
            let plan = try await client.call("transactions", ["ids": [id]])["transactions"]?[0]
            #expect(plan?.charged == "0.00" && plan?["offer"] == "scheduled")
            #expect(end != nil && plan?["effectiveAt"] == end)
            #expect(try await client.history().transactions.map(\.productID) == ["gold"])
            #expect(try await client.owned() == ["gold"])
            try await client.call("test.renew", ["product": "silver"]).get()
            let renewal = try await client.appeared("silver")
            #expect(renewal["reason"] == "renewal" && renewal["offer"] == nil)
            #expect(renewal.charged == "9.99")
            #expect(renewal["payment"]?["appAccountToken"] == "user-B")
            #expect(try await client.owned() == ["silver"])
            let history = try await client.history().transactions
            #expect(Set(history.map(\.productID)) == ["gold", "silver"] && history.count == 2)
            #expect(Set(history.map(\.originalOrderID)).count == 1)
        },
        Scenario(
            "an order that the store deletes removes its unfinished purchase"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buy("book")
            let other = try await client.buy("coins")
            try await client.call("test.deleteOrder", ["transaction": id]).get()
            let removed = try await client.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id] && removed["reason"] == "deleted")
            #expect(try await client.finish(id) == "alreadyFinished")
            let later = try await stage.client()
            #expect(try await later.redelivered() == [other])
            try await client.call("test.clear").get()
            let cleared = try await client.event("transactionsRemoved")
            #expect(cleared.transactionIDs == [other] && cleared["reason"] == "deleted")
            let last = try await stage.client()
            #expect(try await last.redelivered() == [])
        },
    ]

    /// What it takes a server for: products say whether there is an offer.
    static let introductoryOffers: [Scenario] = [
        Scenario(
            "an introductory offer is charged once per account and group"
        ) { stage in
            let client = try await stage.buyer()
            #expect(try await client.offer(of: "bronze") == true)
            let first = try await client.buy("bronze")
            let paid = try await client.listed(first)
            #expect(paid?.charged == "0.00" && paid?["offer"] == "introductory")
            try await client.finishWhole(first)
            #expect(try await client.offer(of: "bronze") == false)
            try await client.call("test.expire", ["product": "bronze"]).get()
            let second = try await client.listed(try await client.buy("bronze"))
            #expect(second?.charged == "4.99" && second?["offer"] == nil)
            try await client.logIn("bert")
            #expect(try await client.offer(of: "bronze") == true)
        },
        Scenario(
            "a pay-as-you-go offer is charged period by period, then the full price"
        ) { stage in
            let client = try await stage.buyer()
            #expect(try await client.offer(of: "paper") == true)
            try await client.buyAndFinish("paper")
            for days in [32, 31, 31] { try await client.advanceStore(days: days) }
            let orders = try await client.orders()
            #expect(orders.map(\.charged) == ["1.00", "1.00", "1.00", "6.00"])
            let offers = orders.map { $0["offer"] }
            #expect(offers == ["introductory", "introductory", "introductory", nil])
            #expect(try await client.offer(of: "paper") == false)
        },
    ]
}

extension JSONValue {
    /// The amount that was charged for a transaction or an order.
    fileprivate var charged: String? { self["charged"]?["amount"]?.stringValue }
}

extension Client {
    /// Buys for somebody, finishes, and waits until it is gone. Somebody has to watch.
    @discardableResult
    fileprivate func buyAndFinish(_ product: String, for token: String) async throws -> JSONValue {
        let params: JSONValue = ["product": .string(product), "appAccountToken": .string(token)]
        guard let id = try await call("add", params).get()["transaction"] else {
            throw Unexpected("no transaction")
        }
        try await call("wait", ["transaction": id, "until": ["purchased"]]).get()
        try await finishWhole(id)
        return id
    }

    /// Finishes and waits until it is gone.
    fileprivate func finishWhole(_ id: JSONValue) async throws {
        _ = try await finish(id)
        try await call("wait", ["transaction": id, "until": ["removed"]]).get()
    }

    /// Restores what belongs to a token, finishes it, and names whom it belongs to.
    fileprivate func owners(ofRestored token: JSONValue) async throws -> [JSONValue?] {
        let found = try await restoreAll(["appAccountToken": token])
        for transaction in found { _ = try await finish(transaction["id"] ?? .null) }
        return found.map { $0["payment"]?["appAccountToken"] }
    }

    /// Whether the account in session may have a product's introductory offer.
    fileprivate func offer(of product: String) async throws -> JSONValue? {
        let reply = try await call("products", ["ids": [.string(product)]]).get()
        return reply["products"]?[0]?["introductoryOfferEligible"]
    }

    /// The products that the account in session is entitled to.
    fileprivate func owned() async throws -> [JSONValue?] {
        try await call("entitlements").get()["entitlements"]?.arrayValue?
            .map { $0["productIdentifier"] } ?? []
    }
}
