import StrictJSON
import Testing

extension Scenario {
    /// What a server lists.
    static let lists: [Scenario] = [
        Scenario(
            "products are returned as requested, and unknown ones are listed"
        ) {
            let client = try await $0.client()
            let params: JSONValue = ["ids": ["pass", "nothing", "coins", "pass"]]
            let reply = try await client.call("products", params)
            let names = reply["products"]?.arrayValue?.map { $0["productIdentifier"] }
            #expect(names == ["pass", "coins"])
            #expect(reply["invalid"] == ["nothing"])
            #expect(reply["storefront"]?["countryCode"] == "DE")
        },
        Scenario(
            "the catalogue has pages, and a page of another country has expired"
        ) {
            let client = try await $0.client()
            var names: [JSONValue?] = []
            var page: JSONValue?
            var lengths: [Int] = []
            repeat {
                var params: [JSONMember] = [JSONMember(name: "limit", value: 3)]
                if let page { params.append(JSONMember(name: "page", value: page)) }
                let reply = try await client.call("products", .object(params))
                let products = reply["products"]?.arrayValue ?? []
                names += products.map { $0["productIdentifier"] }
                lengths.append(products.count)
                page = reply["next"] ?? nil
            } while page != nil && lengths.count < 9
            #expect(names.prefix(5) == ["coins", "book", "pass", "club", "gold"])
            #expect(names.count == 10 && lengths == [3, 3, 3, 1])
            let next = try await client.call("products", ["limit": 1])["next"]
            try await client.logIn("bert")
            let late = try await client.call("products", ["page": try #require(next)])
            #expect(late.code == 1203)
        },
        Scenario(
            "a new language applies to the next call, and older pages have expired"
        ) {
            let client = try await $0.client()
            let first = try await client.call("products", ["limit": 1])
            #expect(first["products"]?[0]?["localizedTitle"] == "coins")
            let next = try #require(first["next"])
            try await client.set(["locale": "de_DE"])
            let params: JSONValue = ["limit": 1, "page": next]
            #expect(try await client.call("products", params).code == 1203)
            let again = try await client.call("products", ["limit": 1])
            #expect(again["products"]?[0]?["localizedTitle"] == "Taler")
            let second = ["limit": 1, "page": try #require(again["next"])] as JSONValue
            let products = try await client.call("products", second)["products"]
            #expect(products?[0]?["productIdentifier"] == "book")
        },
        Scenario(
            "an assumed country is shown to all subscribers"
        ) { stage in
            let client = try await stage.client()
            let nobody: JSONValue = ["storefront": .null, "account": .null]
            #expect(try await client.call("storefront").get() == nobody)
            let assumed: JSONValue = ["storefront": .null, "account": .null, "assumed": "FR"]
            #expect(try await client.call("storefront", ["assume": "FR"]).get() == assumed)
            for text in ["ZZ", "FRA", "fr"] as [JSONValue] {
                #expect(try await client.call("storefront", ["assume": text]).code == -32602)
            }
            let sold = try await client.call("products")
            #expect(sold["storefront"]?["countryCode"] == "FR")
            #expect(sold["invalid"] == [])
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.call("storefront").get() == assumed)
            try await again.logIn()
            let session = try await again.call("storefront").get()
            #expect(session["storefront"]?["countryCode"] == "DE")
            #expect(session["account"] == "anna")
            try await again.call("logout").get()
            #expect(try await again.call("storefront", ["assume": ""]).get() == nobody)
        },
        Scenario(
            "transactions have pages, each listed once, even with concurrent changes"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            var added: [JSONValue] = []
            for _ in 1...7 { added.append(try await client.add()) }
            let first = try await client.call("transactions", ["limit": 3])
            #expect(try await client.finish(added[1]) == "removed")
            let next = try #require(first["next"])
            let second = try await client.call("transactions", ["limit": 3, "page": next])
            let last = try #require(second["next"])
            let third = try await client.call("transactions", ["limit": 3, "page": last])
            #expect(third["next"] == nil)
            let listed = [first, second, third].flatMap { $0.result?.transactionIDs ?? [] }
            #expect(listed == added)
            for page in ["", "x", "u-0-3", "u-999-3", "u-1-", "q-1-1", "f-3"] as [JSONValue] {
                #expect(
                    try await client.call("transactions", ["page": page]).code == 1203, "\(page)")
            }
        },
        Scenario(
            "transactions are listed by id and by state, including finished ones"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            let gone = try await client.add()
            let here = try await client.add()
            _ = try await client.finish(gone)
            let all = try await client.call("transactions", ["ids": [here, gone, "none"]])
            #expect(all.result?.transactionIDs == [here, gone])
            let finished = try await client.call("transactions", ["states": ["finished"]])
            #expect(finished.result?.transactionIDs == [gone])
            #expect(finished["transactions"]?[0]?["finishedAt"] != nil)
            #expect(finished["transactions"]?[0]?["by"]?["uid"] != nil)
            let both = try await client.call(
                "transactions", ["states": ["purchasing", "finished"], "limit": 1])
            #expect(both.result?.transactionIDs == [here])
            let rest = try await client.call(
                "transactions",
                ["states": ["purchasing", "finished"], "page": try #require(both["next"])])
            #expect(rest.result?.transactionIDs == [gone])
        },
        Scenario(
            "transactions are found by text and by reason of waiting, with all conditions combined"
        ) {
            let client = try await $0.client()
            try await client.logIn()
            var added: [JSONValue] = []
            for (product, token) in [
                ("coins", "Ada-7"), ("book", "adam"), ("pass", "bob"), ("pass", "ada"),
            ] {
                let wanted: JSONValue = [
                    "product": .string(product), "appAccountToken": .string(token),
                ]
                added.append(try #require(try await client.call("add", wanted)["transaction"]))
            }
            let (coins, book, pass, gone) = (added[0], added[1], added[2], added[3])
            _ = try await client.finish(gone)
            let id = try #require(coins.stringValue)
            for (conditions, expected) in [
                (["search": "ADA"], [coins, book]), (["search": "ada-7"], [coins]),
                (["search": "oo"], [book]), (["search": " pass "], [pass]),
                (["search": ""], [coins, book, pass]), (["search": "zzz"], []),
                (["search": .string(String(id.prefix(8)).uppercased())], [coins]),
                (["search": "ada", "states": ["finished"]], [gone]),
                (["search": "ada", "states": ["purchasing", "finished"]], [coins, book, gone]),
                (["search": "ada", "ids": [pass, book]], [book]),
                (["waitingFor": ["observer", "gate"]], [coins, book, pass]),
                (["waitingFor": ["gate"]], []),
                (["waitingFor": ["observer"], "states": ["finished"]], []),
                (["waitingFor": ["observer"], "search": "ook"], [book]),
            ] as [(JSONValue, [JSONValue])] {
                let reply = try await client.call("transactions", conditions)
                #expect(reply.result?.transactionIDs == expected, "\(conditions)")
            }
        },
        Scenario("observers are listed while they are connected") {
            let client = try await $0.client()
            let other = try await $0.client()
            try await other.call("hello", ["client": ["name": "till"]])
            try await client.subscribe()
            try await other.subscribe(["passive": true, "products": ["coins"]])
            let list = try await client.call("observers")["observers"]?.arrayValue ?? []
            #expect(list.map { $0["passive"] } == [false, true])
            #expect(list.map { $0["client"] } == [nil, "till"])
            #expect(list.last?["products"] == ["coins"])
            try await other.call("unsubscribe", ["subscription": "s2"])
            #expect(try await client.call("observers")["observers"]?.arrayValue?.count == 1)
        },
        Scenario("a daemon describes itself") {
            let client = try await $0.client()
            let document = try await client.call("rpc.discover")
            #expect(document["openrpc"]?.stringValue?.hasPrefix("1.") == true)
            let methods = document["methods"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(Set(methods ?? []).isSuperset(of: ["add", "finish", "subscribe"]))
            let help = try await client.call("help")["text"]?.stringValue ?? ""
            for method in methods ?? [] { #expect(help.contains(method), "\(method)") }
            #expect(try await client.call("help", ["method": "add"])["text"] != nil)
            #expect(try await client.call("help", ["method": "ad"]).code == -32601)
            let hello = try await client.call("hello")
            #expect(hello["limits"]?["requestsInFlight"] == 32)
            #expect(hello["epoch"] != nil)
        },
        Scenario("the state of the queue is returned in one reply") {
            let client = try await $0.client()
            try await client.logIn()
            _ = try await client.add()
            let status = try await client.call("status")
            #expect(status["queue"]?["waitingFor"]?["observer"] == 1)
            #expect(status["account"] == "anna")
            #expect(status["canMakePayments"]?["value"] == true)
        },
        Scenario("the status shows what all transactions wait for") {
            stage in
            let client = try await stage.client()
            _ = try await client.add()
            #expect(try await client.status()?["queue"]?["waitingFor"]?["login"] == 1)
            try await client.logIn()
            #expect(try await client.status()?["queue"]?["waitingFor"]?["observer"] == 1)
            try await client.set(["paymentsAllowed": false])
            let allowed = try await client.status()?["canMakePayments"]
            #expect(allowed?["value"] == false)
            #expect(allowed?["reason"] != nil)
        },
        Scenario(
            "products are listed in the assumed country"
        ) { stage in
            let client = try await stage.client()
            try await client.call("storefront", ["assume": "NO"]).get()
            let reply = try await client.call("products", ["ids": ["book", "coins"]]).get()
            #expect(reply["storefront"]?["countryCode"] == "NO")
            #expect(reply["invalid"] == ["book"])
            #expect(reply["products"]?[0]?["price"]?["amount"] == "119.00")
            try await stage.kill()
            let again = try await stage.client()
            let kept = try await again.call("products", ["ids": ["coins"]]).get()
            #expect(kept["storefront"]?["countryCode"] == "NO")
        },
        Scenario("a draining daemon accepts no new payments") {
            stage in
            let client = try await stage.buyer()
            #expect(try await client.call("drain", ["on": true])["state"] == "draining")
            #expect(try await client.call("add", ["product": "coins"]).code == -32006)
            #expect(try await client.call("restore").code == -32006)
            try await client.call("drain", ["on": false]).get()
            _ = try await client.buy()
        },
    ]
}
