import StrictJSON
import Testing

extension Scenario {
    /// What a server does with lines.
    static let lines = [
        Scenario("a batch is run in its order and answered in it") {
            let client = try await $0.client()
            try await client.logIn()
            let batch = [
                Ask.line(101, "add", ["product": "coins", "key": "k"]),
                Ask.notification("add", ["product": "pass"]),
                Ask.line(102, "add", ["product": "coins", "key": "k"]),
                Ask.line(103, "nothing"), "7", Ask.line(104, "transactions"),
            ]
            try await client.send("[" + batch.joined(separator: ",") + "]")
            let replies = try #require(try await client.other().arrayValue)
            #expect(replies.map(\.idNumber) == [101, 102, 103, nil, 104])
            #expect(replies[1]["result"]?["duplicate"] == true)
            #expect(replies.map(\.errorCode) == [nil, nil, -32601, -32600, nil])
            #expect(replies[4]["result"]?["transactions"]?.arrayValue?.count == 2)
        },
        Scenario("a notification is done and not answered, right or wrong") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.send(Ask.notification("add", ["product": "coins"]))
            try await client.send(Ask.notification("nothing"))
            try await client.send(Ask.notification("add", ["product": 1]))
            let listed = try await client.call("transactions")
            #expect(listed["transactions"]?.arrayValue?.count == 1)
            #expect(client.heard.allSatisfy { $0.idNumber != nil })
        },
        Scenario("a waiting call can be called off, and only once") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let call = try await client.start("wait", ["transaction": id])
            let cancelled = try await client.call("cancel", ["id": .integer(call)])
            #expect(cancelled["cancelled"] == true)
            #expect(try await client.reply(to: call).code == -32010)
            #expect(try await client.call("cancel", ["id": .integer(call)])["cancelled"] == false)
            let other = try await $0.client()
            let foreign = try await client.start(
                "wait", ["transaction": id, "timeout": .number("0.5")])
            #expect(try await other.call("cancel", ["id": .integer(foreign)])["cancelled"] == false)
            #expect(try await client.reply(to: foreign)["reached"] == false)
        },
        Scenario("a call that waits holds up none behind it") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let call = try await client.start(
                "wait", ["transaction": id, "timeout": .number("0.5")])
            #expect(try await client.call("ping", ["payload": "x"])["pong"] == "x")
            #expect(client.heard.last?.idNumber != call)
            #expect(try await client.reply(to: call)["reached"] == false)
        },
        Scenario("mistakes are answered with the nearest right thing, and nothing is done") {
            let client = try await $0.client()
            let method = try await client.call("subcribe")
            #expect(method.code == -32601)
            #expect(method.data?["didYouMean"] == "subscribe")
            let name = try await client.call("add", ["produkt": "coins"])
            #expect(name.code == -32602)
            #expect(name.data?["path"] == "/produkt")
            #expect(name.data?["didYouMean"] == "product")
            try await client.send("oops")
            #expect(try await client.other().errorCode == -32700)
            #expect(try await client.call("transactions")["transactions"] == [])
        },
        Scenario("parameters may stand in their order where there are few") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            #expect(try await client.call("finish", [id])["disposition"] == "removed")
            #expect(try await client.call("transactions", [])["transactions"] == [])
            #expect(try await client.call("finish", [id, id]).code == -32602)
        },
        Scenario("a call can be checked without being made") {
            let client = try await $0.client()
            try await client.logIn()
            let good: JSONValue = ["method": "add", "params": ["product": "nothing"]]
            #expect(try await client.call("check", good)["ok"] == true)
            let bad: JSONValue = ["method": "add", "params": ["produkt": "coins"]]
            #expect(try await client.call("check", bad).code == -32602)
            #expect(try await client.call("check", ["method": "nothing"]).code == -32601)
            #expect(try await client.call("transactions")["transactions"] == [])
        },
    ]

    /// What a server lists.
    static let lists = [
        Scenario("products come as asked for, and those that are not sold are named") {
            let client = try await $0.client()
            let params: JSONValue = ["ids": ["pass", "nothing", "coins", "pass"]]
            let reply = try await client.call("products", params)
            let names = reply["products"]?.arrayValue?.map { $0["productIdentifier"] }
            #expect(names == ["pass", "coins"])
            #expect(reply["invalid"] == ["nothing"])
            #expect(reply["storefront"]?["countryCode"] == "DE")
        },
        Scenario("the catalogue comes page by page and a page of another country has expired") {
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
            #expect(names == ["coins", "book", "pass", "club"])
            #expect(lengths == [3, 1])
            let next = try await client.call("products", ["limit": 1])["next"]
            try await client.logIn("bert")
            let late = try await client.call("products", ["page": try #require(next)])
            #expect(late.code == 1203)
        },
        Scenario("transactions come page by page, each once, whatever happens between") {
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
            for page in ["", "x", "u-0-3", "u-999-3", "u-1-", "q-1-1"] as [JSONValue] {
                #expect(
                    try await client.call("transactions", ["page": page]).code == 1203, "\(page)")
            }
        },
        Scenario("transactions are listed by id and by state, finished ones included") {
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
        Scenario("observers are listed while they are there") {
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
        Scenario("the state of the queue is told in one answer") {
            let client = try await $0.client()
            try await client.logIn()
            _ = try await client.add()
            let status = try await client.call("status")
            #expect(status["queue"]?["waitingFor"]?["observer"] == 1)
            #expect(status["account"] == "anna")
            #expect(status["canMakePayments"]?["value"] == true)
        },
    ]

    /// What the controls of a sandbox bring about.
    static let controls = [
        Scenario("a country set at the store is a change of storefront, and all comes again") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add("book")
            let set = try await client.call("test.set", ["storefront": "NOR"])
            #expect(set["storefront"] == "NO")
            let changed = try await client.event("storefrontChanged")
            #expect(changed["from"]?["countryCode"] == "DE")
            #expect(changed["to"]?["countryCode"] == "NO")
            #expect(changed["account"] == "anna")
            let again = try await client.notificationsUntilCaughtUp()
                .compactMap { $0.params(of: "event") }
            #expect(again.flatMap(\.transactionIDs) == [id])
            try await client.call("subscribe")
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["failureReason"] == "productNotAvailable")
            #expect(try await client.call("test.orders")["orders"] == [])
        },
        Scenario("who only watches leaves the store without an order") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe(["passive": true])
            let id = try await client.add()
            #expect(try await client.call("test.orders")["orders"] == [])
            try await client.call("subscribe")
            _ = try await client.call("wait", ["transaction": id])
            let orders = try await client.call("test.orders")["orders"]?.arrayValue ?? []
            #expect(orders.map { $0["transaction"] } == [id])
        },
        Scenario("what the store declines fails, and can be finished at once") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.subscribe()
            try await client.call("test.set", ["failTransactionsEnabled": true])
            let id = try await client.add()
            let failed = try await client.transaction(id, becomes: "failed")
            #expect(failed["error"] == ["internalError": [:]])
            #expect(failed["failureReason"] == "declined")
            #expect(try await client.finish(id) == "removed")
        },
        Scenario("a wrong credential is refused, the right one is not") {
            let client = try await $0.client()
            let wrong = try await client.call("login", ["account": "carl", "credential": "x"])
            #expect(wrong.code == 1502)
            let none = try await client.call("login", ["account": "carl"])
            #expect(none.code == 1502)
            let right = try await client.call(
                "login", ["account": "carl", "credential": "open-sesame"])
            #expect(right["account"] == "carl")
        },
        Scenario("a country can be assumed while nobody is logged in") {
            let client = try await $0.client()
            #expect(try await client.call("storefront")["storefront"] == .some(.null))
            try await client.call("storefront", ["assume": "FR"])
            let shown = try await client.call("products", ["ids": ["coins"]])
            #expect(shown.code == -32011 || shown["storefront"]?["countryCode"] == "FR")
            try await client.call("storefront", ["assume": ""])
            let back = try await client.call("products", ["ids": ["coins"]])
            #expect(back["storefront"]?["countryCode"] == "DE")
        },
    ]
}
