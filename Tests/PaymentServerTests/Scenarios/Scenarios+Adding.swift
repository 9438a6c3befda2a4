import StrictJSON
import Testing

extension Scenario {
    /// What is accepted, and what stands in the way.
    static let adding: [Scenario] = [
        Scenario(
            "a non-consumable product or subscription has at most one open transaction"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            for product: JSONValue in ["book", "club"] {
                let first = try await client.call("add", ["product": product])
                let second = try await client.call("add", ["product": product, "key": "k"])
                #expect(second.code == 1107)
                #expect(second.data?["transaction"] == first["transaction"])
                #expect(second.data?["state"] == "purchasing")
            }
            _ = try await client.add("coins")
            _ = try await client.add("coins")
        },
        Scenario(
            "a paid purchase blocks the product until it is finished"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            let id = try await client.buy("book")
            let blocked = try await client.call("add", ["product": "book", "key": "k"])
            #expect(blocked.code == 1107)
            _ = try await client.finish(id)
            _ = try await client.event("transactionsRemoved")
            let after = try await client.call("add", ["product": "book", "key": "k"])
            #expect(after["duplicate"] == false, "a refused add leaves no key")
        },
        Scenario("an unknown product is refused") {
            let client = try await $0.client()
            let refused = try await client.call("add", ["product": "nothing"])
            #expect(refused.code == 1101)
            #expect(refused.data?["product"] == "nothing")
            #expect(try await client.call("transactions")["transactions"] == [])
        },
        Scenario("an account without permission to pay is refused") {
            let client = try await $0.client()
            try await client.logIn("dora")
            #expect(try await client.call("add", ["product": "coins"]).code == 1103)
        },
        Scenario(
            "the reply confirms the acceptance; the purchase is reported as an event"
        ) { stage in
            let client = try await stage.buyer()
            let reply = try await client.call("add", ["product": "coins"])
            #expect(reply["state"] == "purchasing")
            let id = try #require(reply["transaction"])
            try await client.transaction(id, becomes: "purchased")
            let place = client.heard.firstIndex { $0["result"]?["transaction"] == id }
            let first = client.heard.firstIndex {
                $0.params(of: "event")?.transactionIDs.contains(id) == true
            }
            #expect(try #require(place) < #require(first))
        },
        Scenario(
            "a product is bought by its identifier, without loading it before"
        ) { stage in
            let client = try await stage.client()
            try await client.logIn()
            let id = try await client.add("club")
            let product = try await client.listed(id)?["payment"]?["product"]
            #expect(product?["productIdentifier"] == "club")
            #expect(product?["price"]?["amount"] == "9.99")
            #expect(product?["price"]?["currencyCode"] == "EUR")
            #expect(product?["subscriptionPeriod"] == ["unit": "month", "numberOfUnits": 1])
            #expect(product?["subscriptionGroupIdentifier"] == "club")
        },
        Scenario("a subscription is bought like any other product") { stage in
            let client = try await stage.buyer()
            let id = try await client.add("club")
            let paid = try await client.transaction(id, becomes: "purchased")
            #expect(paid["originalTransactionIdentifier"] == paid["transactionIdentifier"])
            #expect(paid["payment"]?["product"]?["type"] == "autoRenewableSubscription")
        },
        Scenario("a consumable product may be bought repeatedly") { stage in
            let client = try await stage.buyer()
            let first = try await client.add()
            let second = try await client.add()
            #expect(first != second)
            try await client.transaction(second, becomes: "purchased")
            #expect(Set(try await client.orders().compactMap { $0["transaction"] }).count == 2)
        },
        Scenario(
            "the refusal names the blocking transaction, which any client can finish"
        ) { stage in
            let buyer = try await stage.buyer()
            let id = try await buyer.buy("book")
            let client = try await stage.client()
            let refused = try await client.call("add", ["product": "book"])
            #expect(refused.code == 1107)
            #expect(refused.data?["transaction"] == id)
            #expect(refused.data?["state"] == "purchased")
            #expect(try await client.listed(id) != nil)
            #expect(try await client.finish(id) == "completing")
            _ = try await buyer.event("transactionsRemoved")
            #expect(try await client.call("add", ["product": "book"]).code == nil)
        },
        Scenario(
            "failed and completing transactions do not block a product"
        ) {
            stage in
            let client = try await stage.buyer()
            try await client.set(["failTransactionsEnabled": true])
            let failed = try await client.add("book")
            try await client.transaction(failed, becomes: "failed")
            try await client.set(["failTransactionsEnabled": false])
            let paid = try await client.buy("book")
            try await stage.setStoreAnswers(false)
            #expect(try await client.finish(paid) == "completing")
            let next = try await client.call("add", ["product": "book"])
            #expect(next.code == nil)
            #expect(next["transaction"] != paid)
            try await stage.setStoreAnswers(true)
        },
        Scenario("products of another account do not block a purchase") { stage in
            let client = try await stage.client()
            try await client.logIn()
            _ = try await client.add("book")
            try await client.logIn("bert")
            #expect(try await client.call("add", ["product": "book"]).code == nil)
        },
        Scenario("a refused account leaves no key and no transaction") { stage in
            let client = try await stage.client()
            try await client.logIn()
            try await client.set(["paymentsAllowed": false])
            let refused = try await client.call("add", ["product": "coins", "key": "k"])
            #expect(refused.code == 1103)
            #expect(refused.data?["effect"] == "none")
            try await client.set(["paymentsAllowed": true])
            let accepted = try await client.call("add", ["product": "pass", "key": "k"])
            #expect(accepted["duplicate"] == false)
        },
        Scenario(
            "the account token of a payment survives a restart and is sent to the store"
        ) { stage in
            let client = try await stage.client()
            try await client.logIn()
            let params: JSONValue = ["product": "coins", "appAccountToken": "no uuid, Ünïcode"]
            let id = try #require(try await client.call("add", params)["transaction"])
            try await stage.restart()
            let again = try await stage.client()
            try await again.subscribe()
            let paid = try await again.transaction(id, becomes: "purchased")
            #expect(paid["payment"]?["appAccountToken"] == "no uuid, Ünïcode")
            #expect(try await again.orders().first?["appAccountToken"] == "no uuid, Ünïcode")
        },
    ]
}
