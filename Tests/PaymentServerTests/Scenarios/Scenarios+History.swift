import PaymentCore
import PaymentHistory
import StrictJSON
import Testing

extension Scenario {
    /// What the store signs.
    static let history: [Scenario] = [
        Scenario(
            "logged out there is no signed history, and nobody is asked to log in", of: "section 4",
            "domain 9.1"
        ) { stage in
            let client = try await stage.client()
            try await client.attend(["login"])
            #expect(try await client.call("signedHistory").code == 1504)
            #expect(try await client.call("questions").get()["questions"] == [])
            #expect(!client.kindsHeard.contains("questionOpened"))
        },
        Scenario(
            "the signed history tells everything that the account paid for, and nothing else",
            of: "section 9", "domain 9.5"
        ) { stage in
            let client = try await stage.buyer("bert")
            _ = try await client.buy("coins")
            try await client.logIn("anna")
            #expect(try await client.history().transactions.isEmpty)
            try await client.buyAndFinish("book")
            _ = try await client.buy("club")
            let history = try await client.history()
            #expect(history.transactions.map(\.productID) == ["book", "club"])
            let (book, club) = (history.transactions[0], history.transactions[1])
            #expect(book.price == 999 && book.currency == "EUR" && book.country == "DE")
            #expect(book.productType == .nonConsumable && book.subscriptionID == nil)
            #expect(club.productType == .subscription && club.subscriptionID == "club")
            #expect((club.expiresAt ?? club.purchaseDate) > club.purchaseDate)
            #expect(book.isEntitling(at: book.fetchedAt) && club.isEntitling(at: club.fetchedAt))
        },
        Scenario(
            "a refund shows in the signed history at once, and the order stays in it",
            of: "section 9",
            "domain 9.5"
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
            "a renewal is a line of its own, with the date of the first purchase", of: "section 9",
            "domain 9.5"
        ) { stage in
            let client = try await stage.buyer()
            _ = try await client.buy("club")
            try await client.call("test.renew", ["product": "club"]).get()
            let history = try await client.history().transactions
            #expect(history.map(\.reason) == [.purchase, .renewal])
            #expect(history.count == 2 && history[0].orderID != history[1].orderID)
            #expect(Set(history.map(\.originalOrderID)) == [history[0].orderID])
            #expect(Set(history.map(\.originalPurchaseDate)) == [history[0].purchaseDate])
        },
        Scenario(
            "the keys of the store need no account and outlive a restart", of: "section 9",
            "domain 9.4"
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
            "a store that cannot tell the history fails that call and takes orders on",
            of: "controls", "section 4"
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
        Scenario("a call for the signed history can be cancelled", of: "section 4", "domain 9.1") {
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
    /// The history, verified with the keys.
    func history() async throws -> TransactionHistory {
        let keys = try KeySet(parsing: Array(try await call("keys").get().jsonText().utf8))
        let signed = try await call("signedHistory").get()
        guard let jws = signed["jws"]?.stringValue else { throw Unexpected("no JWS: \(signed)") }
        let verified = try HistoryVerifier(keys: keys).verify(jws)
        #expect(signed["kid"] == .string(verified.key.id))
        #expect(signed["alg"] == .string(verified.key.algorithm))
        return verified.history
    }
}
