import StrictJSON
import Testing

extension Scenario {
    /// What a server does with lines.
    static let lines: [Scenario] = [
        Scenario("a batch runs in order and is answered in order") {
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
        Scenario("a notification is executed without a reply, valid or not") {
            let client = try await $0.client()
            try await client.logIn()
            try await client.send(Ask.notification("add", ["product": "coins"]))
            try await client.send(Ask.notification("nothing"))
            try await client.send(Ask.notification("add", ["product": 1]))
            let listed = try await client.call("transactions")
            #expect(listed["transactions"]?.arrayValue?.count == 1)
            #expect(client.heard.allSatisfy { $0.idNumber != nil })
        },
        Scenario("a waiting call can be cancelled once") {
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
        Scenario("a waiting call does not delay later calls") {
            let client = try await $0.client()
            try await client.logIn()
            let id = try await client.add()
            let call = try await client.start(
                "wait", ["transaction": id, "timeout": .number("0.5")])
            #expect(try await client.call("ping", ["payload": "x"])["pong"] == "x")
            #expect(client.heard.last?.idNumber != call)
            #expect(try await client.reply(to: call)["reached"] == false)
        },
        Scenario(
            "an error names the nearest valid name, and has no effect"
        ) {
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
        Scenario("methods with few parameters accept them in order") {
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
            let good: JSONValue = ["method": "add", "params": ["product": "coins"]]
            #expect(try await client.call("check", good)["ok"] == true)
            let unknown: JSONValue = ["method": "add", "params": ["product": "nothing"]]
            #expect(try await client.call("check", unknown).code == 1101)
            let finish: JSONValue = ["method": "finish", "params": ["transaction": "nothing"]]
            #expect(try await client.call("check", finish).code == 1201)
            let bad: JSONValue = ["method": "add", "params": ["produkt": "coins"]]
            #expect(try await client.call("check", bad).code == -32602)
            #expect(try await client.call("check", ["method": "nothing"]).code == -32601)
            #expect(try await client.call("transactions")["transactions"] == [])
        },
        Scenario("a check refuses with the code of the call itself") {
            let client = try await $0.client()
            try await client.logIn()
            let nowhere = "00000000-0000-4000-8000-000000000000"
            let calls: [(method: String, params: JSONValue, code: Int64)] = [
                ("finish", ["transaction": .string(nowhere)], 1201),
                ("wait", ["transaction": .string(nowhere)], 1201),
                ("decide", ["transaction": .string(nowhere), "outcome": "approve"], 1201),
                ("answer", ["question": .string(nowhere), "value": true], 1401),
                ("subscribe", ["after": 1_000_000], 1302),
                ("events", ["after": 1_000_000], 1302),
                ("ack", ["name": "nobody", "seq": 1], 1305),
                ("ack", ["name": "nobody", "forget": true], 1305),
            ]
            for call in calls {
                let check: JSONValue = ["method": .string(call.method), "params": call.params]
                #expect(try await client.call("check", check).code == call.code, "\(call.method)")
                #expect(try await client.call(call.method, call.params).code == call.code)
            }
            let now: JSONValue = ["method": "subscribe", "params": ["after": "now"]]
            #expect(try await client.call("check", now)["ok"] == true)
        },
        Scenario(
            "in a batch no agent is asked; add returns that it waits for a login"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            try await client.send(
                "["
                    + [
                        Ask.line(101, "add", ["product": "coins"]), Ask.line(102, "restore"),
                    ].joined(separator: ",") + "]")
            let replies = try #require(try await client.other().arrayValue)
            #expect(replies.map { $0["result"]?["waitingFor"] } == ["login", "login"])
            #expect(try await client.questions() == [])
        },
        Scenario("the answer to a question must be true or false") {
            stage in
            let (client, _) = try await stage.moved(["mode": "ask"])
            try await client.subscribe()
            let question = try await client.question("shouldContinue")
            for value in ["yes", 1, .null, "true"] as [JSONValue] {
                let name = question["question"] ?? .null
                let reply = try await client.call("answer", ["question": name, "value": value])
                #expect(reply.code == -32602, "\(value)")
            }
            #expect(try await client.questions().count == 1)
        },
        Scenario("a record names its cause") { stage in
            let client = try await stage.client()
            try await client.call("hello", ["client": ["name": "till"]]).get()
            try await client.logIn()
            let id = try await client.add()
            let by = try await client.listed(id)?["by"]
            #expect(by?["uid"] != nil)
            #expect(by?["client"] == "till")
        },
        Scenario("a connection survives invalid requests") { stage in
            let client = try await stage.client()
            for line in [
                "{", "[]", #"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "\u{FEFF}{}",
                #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            ] {
                try await client.send(line)
                #expect(try await client.other().errorCode != nil, "\(line)")
            }
            #expect(try await client.call("ping").code == nil)
        },
    ]
}
