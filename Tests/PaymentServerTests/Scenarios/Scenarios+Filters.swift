import StrictJSON
import Testing

extension Scenario {
    /// Subscriptions to some of it.
    static let filters: [Scenario] = [
        Scenario(
            "a subscription receives the kinds that it asked for"
        ) {
            stage in
            let client = try await stage.buyer()
            let other = try await stage.client()
            try await other.subscribe(["kinds": ["transactionsRemoved", "storefrontChanged"]])
            let id = try await client.buyAndFinish("coins")
            let removed = try await other.event("transactionsRemoved")
            #expect(removed.transactionIDs == [id])
            #expect(other.kindsHeard == ["transactionsRemoved"])
        },
        Scenario("a subscription receives the products that it asked for") {
            stage in
            let client = try await stage.buyer()
            let old = try await client.buy("coins")
            let pass = try await client.buy("pass")
            let other = try await stage.client()
            #expect(try await other.redelivered(["products": ["pass", "club"]]) == [pass])
            let club = try await client.buy("club")
            let shown = try await other.transaction(club, becomes: "purchased")
            #expect(shown.product == "club")
            #expect(other.statesHeard(of: old).isEmpty)
        },
        Scenario(
            "prev skips the sequence numbers of filtered records"
        ) { stage in
            let client = try await stage.buyer()
            for product in ["coins", "pass", "coins"] { try await client.buyAndFinish(product) }
            let events = try await stage.client()
                .subscribe(["after": "start", "products": ["coins"]])
                .compactMap { $0.params(of: "event") }
                .filter { $0["kind"] == "transactionsUpdated" && $0["redelivery"] == nil }
            #expect(events.count == 6)
            #expect(
                events.flatMap { $0["transactions"]?.arrayValue ?? [] }
                    .allSatisfy { $0.product == "coins" })
        },
        Scenario("two subscriptions of a connection are independent") { stage in
            let client = try await stage.client()
            try await client.logIn()
            try await client.subscribe(["products": ["coins"]])
            try await client.subscribe(["products": ["pass"]])
            let coins = try await client.buy("coins")
            let pass = try await client.buy("pass")
            try await client.transaction(pass, becomes: "purchased")
            let events = client.heard.compactMap { $0.params(of: "event") }
            let ofCoins = events.filter { $0.transactionIDs == [coins] }.map { $0["subscription"] }
            let ofPass = events.filter { $0.transactionIDs == [pass] }.map { $0["subscription"] }
            #expect(Set(ofCoins).count == 1 && Set(ofPass).count == 1)
            #expect(Set(ofCoins) != Set(ofPass))
        },
    ]
}
