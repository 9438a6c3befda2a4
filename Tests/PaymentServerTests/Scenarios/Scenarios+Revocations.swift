import StrictJSON
import Testing

extension Scenario {
    /// What the store takes back, and what is owned.
    static let revocations: [Scenario] = [
        Scenario("a refund is reported with products and orders") {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            #expect(
                try await client.call("entitlements").get()["entitlements"]?.arrayValue?.count == 1)
            let order = try await client.orders().first?["order"]
            try await client.call("test.refund", ["transaction": id]).get()
            let revoked = try await client.event("entitlementsRevoked")
            #expect(revoked["products"] == ["book"])
            #expect(revoked["orders"]?[0] == order)
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
        },
        Scenario(
            "a refund during a logout is reported at the next login"
        ) {
            stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            let order = try await client.orders().first?["order"]
            try await client.call("logout").get()
            try await client.call("test.refund", ["order": try #require(order)]).get()
            #expect(!client.kindsHeard.contains("entitlementsRevoked"))
            try await client.logIn()
            #expect(try await client.event("entitlementsRevoked")["orders"]?[0] == order)
            #expect(try await client.finish(id) == "alreadyFinished")
        },
        Scenario("each order is revoked once, also after restarts") { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            try await client.call("test.refund", ["transaction": id]).get()
            _ = try await client.event("entitlementsRevoked")
            try await stage.restart()
            let again = try await stage.client()
            try await again.subscribe(["after": "start"])
            _ = try await again.restored(again.restore())
            #expect(again.kindsHeard.filter { $0 == "entitlementsRevoked" }.count == 1)
        },
        Scenario("a revoked product can be bought again") { stage in
            let client = try await stage.buyer()
            let id = try await client.buyAndFinish("book")
            try await client.call("test.refund", ["transaction": id]).get()
            _ = try await client.event("entitlementsRevoked")
            let again = try await client.buyAndFinish("book")
            #expect(again != id)
            #expect(
                try await client.call("entitlements").get()["entitlements"]?.arrayValue?.count == 1)
        },
        Scenario(
            "entitlements list all products that the account owns, finished or not"
        ) { stage in
            let client = try await stage.client()
            #expect(try await client.call("entitlements").code == 1504)
            try await client.logIn()
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
            try await client.subscribe()
            try await client.buyAndFinish("book")
            _ = try await client.buy("club")
            _ = try await client.buy("coins")
            let owned = try await client.call("entitlements").get()["entitlements"]?.arrayValue
            #expect(Set(owned?.compactMap { $0["productIdentifier"] } ?? []) == ["book", "club"])
            try await client.logIn("bert")
            #expect(try await client.call("entitlements").get()["entitlements"] == [])
        },
    ]
}
