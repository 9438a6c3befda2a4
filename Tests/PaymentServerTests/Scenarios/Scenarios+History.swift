import PaymentCore
import PaymentHistory
import StrictJSON
import Testing

extension Scenario {
    /// What the store signs.
    static let history: [Scenario] = [
        Scenario(
            "without a session there is no signed history, and no login is asked for"
        ) { stage in
            let client = try await stage.client()
            try await client.attend(["login"])
            #expect(try await client.call("signedHistory").code == 1504)
            #expect(try await client.call("questions").get()["questions"] == [])
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario(
            "the signed history has everything that the account paid for, and nothing else"
        ) { stage in
            let client = try await stage.buyer("bert")
            _ = try await client.buy("coins")
            try await client.logIn("anna")
            #expect(try await client.history().transactions.isEmpty)
            try await client.buyAndFinish("book")
            _ = try await client.buy("club")
            let history = try await client.history()
            #expect(history.transactions.map(\.productID) == ["club", "book"])
            let (book, club) = (history.transactions[1], history.transactions[0])
            #expect(book.price == 999 && book.currency == "EUR" && book.country == "DE")
            #expect(book.productType == .nonConsumable && book.subscriptionID == nil)
            #expect(club.productType == .subscription && club.subscriptionID == "club")
            #expect((club.expiresAt ?? club.purchaseDate) > club.purchaseDate)
            #expect(book.isEntitling(at: book.fetchedAt) && club.isEntitling(at: club.fetchedAt))
        },
        Scenario(
            "the signed history shows a refund at once and keeps the order"
        ) { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            try await client.call("test.refund", ["transaction": id]).get()
            let purchase = try #require(try await client.history().transactions.first)
            #expect(purchase.revocation?.reason == "Refund" && purchase.reason == .purchase)
            let order = try await client.orders().first?["order"]
            #expect(order == .string(purchase.orderID.description))
        },
        Scenario(
            "a renewal is a separate entry, with the date of the first purchase"
        ) { stage in
            let client = try await stage.buyer()
            _ = try await client.buy("club")
            try await client.call("test.renew", ["product": "club"]).get()
            let history = try await client.history().transactions
            #expect(history.map(\.reason) == [.renewal, .purchase])
            #expect(history.count == 2 && history[0].orderID != history[1].orderID)
            #expect(Set(history.map(\.originalOrderID)) == [history[1].orderID])
            #expect(Set(history.map(\.originalPurchaseDate)) == [history[1].purchaseDate])
        },
        Scenario(
            "later payments do not move the pages of the signed history"
        ) { stage in
            let client = try await stage.buyer()
            var bought: [String] = []
            for _ in 1...3 {
                let id = try await client.buyAndFinish("coins")
                let known = try await client.call(
                    "transactions", ["ids": [id], "states": ["finished"]]
                ).get()
                let order = known["transactions"]?[0]?["transactionIdentifier"]?.stringValue
                bought.append(try #require(order))
            }
            let first = try await client.page(["limit": 2])
            #expect(first.orders == [bought[2], bought[1]])
            try await client.buyAndFinish("coins")
            let next = try #require(first.next)
            let second = try await client.page(["limit": 2, "page": next])
            #expect(second.orders == [bought[0]] && second.next == nil)
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.page(["page": next]).orders == [bought[0]])
            #expect(try await again.page([:]).orders.count == 4)
        },
        Scenario(
            "an invalid page of the signed history, or one of another account, has expired"
        ) { stage in
            let client = try await stage.buyer("bert")
            for _ in 1...2 { _ = try await client.buy("coins") }
            let foreign = try #require(try await client.page(["limit": 1]).next)
            try await client.logIn("anna")
            for page in [foreign, "nonsense", ""] {
                #expect(try await client.call("signedHistory", ["page": page]).code == 1203)
            }
        },
        Scenario(
            "the keys of the store need no session and survive a restart"
        ) { stage in
            let client = try await stage.client()
            let keys = try await client.call("keys").get()
            try await client.logIn()
            let jws = try await client.call("signedHistory").get()["jws"]
            try await stage.restart()
            let again = try await stage.client()
            #expect(try await again.call("keys").get() == keys)
            let known = try KeySet(parsing: Array(keys.jsonText().utf8))
            let text = try #require(jws?.stringValue)
            #expect(try HistoryVerifier(keys: known).verify(text).key == known.keys.first)
        },
        Scenario(
            "if the store cannot return the history, the call fails and orders continue"
        ) { stage in
            let client = try await stage.buyer()
            let failing: JSONValue = ["simulatedErrors": ["history": "appNotRegistered"]]
            try await client.call("test.set", failing).get()
            #expect(try await client.call("signedHistory").code == 1603)
            _ = try await client.buy("coins")
            let healed: JSONValue = ["simulatedErrors": ["history": nil]]
            try await client.call("test.set", healed).get()
            #expect(try await client.history().transactions.count == 1)
            try await stage.setStoreAnswers(false)
            #expect(try await client.call("signedHistory").code == -32011)
            #expect(try await client.call("keys").code == -32011)
        },
    ]

    /// What it takes a server for.
    static let historyCalls: [Scenario] = [
        Scenario("a call for the signed history can be cancelled") {
            stage in
            let client = try await stage.buyer()
            try await client.call("test.set", ["latencyMs": 60_000]).get()
            let call = try await client.start("signedHistory")
            #expect(try await client.call("cancel", ["id": .integer(call)])["cancelled"] == true)
            #expect(try await client.reply(to: call).code == -32010)
        }
    ]
}

extension Client {
    /// The orders of a page, and where it goes on.
    fileprivate func page(
        _ params: JSONValue
    ) async throws -> (orders: [String], next: JSONValue?) {
        let signed = try await call("signedHistory", params).get()
        return (
            try await verified(signed).transactions.map(\.orderID.description), signed["next"]
        )
    }

    /// The history, verified with the keys.
    func history() async throws -> TransactionHistory {
        let signed = try await call("signedHistory").get()
        #expect(signed["next"] == nil)
        return try await verified(signed)
    }

    private func verified(_ signed: JSONValue) async throws -> TransactionHistory {
        let keys = try KeySet(parsing: Array(try await call("keys").get().jsonText().utf8))
        guard let jws = signed["jws"]?.stringValue else { throw Unexpected("no JWS: \(signed)") }
        let verified = try HistoryVerifier(keys: keys).verify(jws)
        #expect(signed["kid"] == .string(verified.key.id))
        #expect(signed["alg"] == .string(verified.key.algorithm))
        return verified.history
    }
}
