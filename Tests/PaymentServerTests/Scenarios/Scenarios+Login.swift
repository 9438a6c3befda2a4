import StrictJSON
import Testing

extension Scenario {
    /// Logins that are asked for.
    static let login: [Scenario] = [
        Scenario(
            "logged out, an add asks the login agents and continues after a login"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            let question = try await agent.question("login")
            #expect(client.heard.isEmpty, "the call waits")
            try await agent.logIn()
            let reply = try await client.reply(to: call)
            #expect(reply["state"] == "purchasing")
            #expect(reply["waitingFor"] == "observer")
            #expect(try await agent.closing(question)["value"] == true)
            let id = try #require(reply["transaction"])
            #expect(try await client.listed(id) != nil)
        },
        Scenario("all calls that need a login wait for one question") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let calls = [
                try await client.start("add", ["product": "coins"]),
                try await client.start("add", ["product": "pass"]),
                try await client.start("restore"),
            ]
            _ = try await agent.question("login")
            try await agent.logIn()
            for call in calls { #expect(try await client.reply(to: call).code == nil) }
            _ = try await agent.event("questionClosed")
            #expect(agent.kindsHeard.filter { $0 == "questionOpened" }.count == 1)
        },
        Scenario("a dismissed login discards the purchase") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let add = try await client.start("add", ["product": "coins", "key": "k"])
            let restore = try await client.start("restore")
            let question = try await agent.question("login")
            #expect(try await agent.answer(question, false)["accepted"] == true)
            let refused = try await client.reply(to: add)
            #expect(refused.code == 1104)
            #expect(refused.data?["effect"] == "none")
            #expect(try await client.reply(to: restore).code == 1104)
            #expect(try await agent.closing(question)["value"] == false)
            try await client.logIn()
            #expect(try await client.call("transactions")["transactions"] == [])
            let again = try await client.call("add", ["product": "pass", "key": "k"])
            #expect(again["duplicate"] == false, "a refused add leaves no key")
        },
        Scenario("a login without an account asks the agents") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("login")
            _ = try await agent.question("login")
            try await agent.logIn("bert")
            #expect(try await client.reply(to: call)["account"] == "bert")
            #expect(try await client.call("storefront")["account"] == "bert")
        },
        Scenario("a failed login leaves the question open") { stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            let question = try await agent.question("login")
            #expect(try await agent.call("login", ["account": "nobody"]).code == 1501)
            #expect(try await agent.questions().map { $0["question"] } == [question["question"]])
            try await agent.logIn()
            #expect(try await client.reply(to: call).code == nil)
        },
        Scenario("when an agent leaves, the next one is asked") { stage in
            let first = try await stage.client()
            try await first.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await first.question("login")
            let second = try await stage.client()
            try await second.call(
                "subscribe", ["agent": ["login"], "kinds": ["questionOpened", "questionClosed"]]
            ).get()
            try await first.leave()
            _ = try await second.question("login")
            try await second.logIn()
            #expect(try await client.reply(to: call).code == nil)
        },
        Scenario(
            "when the last agent leaves, the payment is accepted and waits"
        ) { stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await agent.question("login")
            try await agent.leave()
            let reply = try await client.reply(to: call)
            #expect(reply["waitingFor"] == "login")
            #expect(try await client.questions() == [])
            try await client.logIn()
            #expect(try await client.waitingFor(#require(reply["transaction"])) == "observer")
        },
        Scenario("a restart ends the question and its waiting calls") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            _ = try await client.start("add", ["product": "coins"])
            let question = try await agent.question("login")
            try await stage.kill()
            let again = try await stage.client()
            #expect(try await again.questions() == [])
            let events = try await again.call("events", ["after": "start"]).get()["events"]
            let closed = events?.arrayValue?.last { $0["kind"] == "questionClosed" }
            #expect(closed?["question"] == question["question"])
            // A server that is stopped in the process lets its agents go first.
            #expect(["restarted", "agentGone", "withdrawn"].contains(closed?["reason"]))
            try await again.logIn()
            #expect(try await again.call("transactions")["transactions"] == [])
        },
        Scenario(
            "without an agent a restore waits for the next login and belongs to its account"
        ) {
            stage in
            let client = try await stage.client()
            try await client.subscribe()
            let reply = try await client.call("restore")
            #expect(reply["waitingFor"] == "login")
            try await client.logIn()
            let end = try await client.event("restoreCompleted")
            #expect(end["restore"] == reply["restore"])
            #expect(end["count"] == 0)
        },
        Scenario("a known key asks for no login") { stage in
            let client = try await stage.client()
            let params: JSONValue = ["product": "coins", "key": "k"]
            let id = try #require(try await client.call("add", params)["transaction"])
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let again = try await client.call("add", params)
            #expect(again["transaction"] == id)
            #expect(again["duplicate"] == true)
            #expect(try await client.call("add", ["product": "none"]).code == 1101)
            #expect(try await agent.questions() == [])
        },
    ]

    /// Logins that nobody makes.
    static let loginTime: [Scenario] = [
        Scenario("a login without an answer is discarded after two minutes") {
            stage in
            let agent = try await stage.client()
            try await agent.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await agent.question("login")
            try await stage.pass(seconds: 119)
            #expect(try await agent.questions().count == 1)
            try await stage.pass(seconds: 2)
            #expect(try await client.reply(to: call).code == 1104)
            #expect(try await agent.event("questionClosed")["reason"] == "timedOut")
        },
        Scenario("if a login agent is silent, the next one is asked within the same time") {
            stage in
            let first = try await stage.client()
            try await first.attend(["login"])
            let second = try await stage.client()
            try await second.attend(["login"])
            let client = try await stage.client()
            let call = try await client.start("add", ["product": "coins"])
            _ = try await first.question("login")
            try await stage.pass(seconds: 58)
            #expect(try await second.questions().count == 1)
            #expect(!second.kindsHeard.contains("questionOpened"))
            try await stage.pass(seconds: 4)
            _ = try await second.question("login")
            try await second.logIn()
            #expect(try await client.reply(to: call).code == nil)
        },
    ]
}
