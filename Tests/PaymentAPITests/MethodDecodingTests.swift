import PaymentAPI
import PaymentCore
import Testing

@Suite struct MethodDecodingTests {
    @Test func `finish reads an identifier of ours and keeps any other text`() throws {
        let known = try decode(FinishTransaction.self, #"{"transaction":"\#(Sample.idText)"}"#)
        #expect(known.transaction == .id(Sample.id))
        let escaped = try decode(
            FinishTransaction.self, #"["\u0031\#(Sample.idText.dropFirst())"]"#)
        #expect(escaped.transaction == .id(Sample.id))
        for text in ["", "t1", Sample.idText.uppercased() + "A", Sample.idText + "0"] {
            let foreign = try decode(FinishTransaction.self, #"["\#(text)"]"#)
            #expect(foreign.transaction == .foreign(OpaqueText(text)))
        }
        let capitals = try decode(FinishTransaction.self, #"["\#(Sample.orderText.uppercased())"]"#)
        #expect(capitals.transaction.id == nil)
    }

    @Test func `subscribe reads all of its parameters`() throws {
        let params = try decode(
            Subscribe.self,
            #"{"after":7,"epoch":"e","kinds":["transactionsRemoved"],"products":["a","b"],"#
                + #""passive":true,"heartbeat":5.5,"onGap":"error"}"#)
        #expect(params.after == .after(7))
        #expect(params.epoch == "e")
        #expect(params.filter.kinds == [.transactionsRemoved])
        #expect(params.filter.products == ["a", "b"])
        #expect(params.isPassive)
        #expect(params.heartbeat == .milliseconds(5500))
        #expect(params.onGap == .error)
    }

    @Test func `subscribe without parameters shows everything from now`() throws {
        #expect(try decode(Subscribe.self, nil) == Subscribe.Params())
    }

    @Test(arguments: EventKind.allCases)
    func `subscribe knows every kind of the contract`(kind: EventKind) throws {
        let params = try decode(Subscribe.self, #"{"kinds":["\#(kind.rawValue)"]}"#)
        #expect(params.filter.kinds == [kind])
    }

    @Test(
        arguments: [
            (#"{"after":"start"}"#, nil), (#"{"after":"now"}"#, nil), (#"{"after":0}"#, nil),
            (#"{"after":9007199254740991}"#, nil),
            (#"{"after":9007199254740992}"#, "outOfRange /after"),
            (#"{"after":-1}"#, "outOfRange /after"), (#"{"after":1.0}"#, "outOfRange /after"),
            (#"{"after":1e2}"#, "outOfRange /after"), (#"{"after":"then"}"#, "outOfRange /after"),
            (#"{"after":true}"#, "wrongType /after"), (#"{"kinds":[]}"#, "outOfRange /kinds"),
            (#"{"kinds":"x"}"#, "wrongType /kinds"), (#"{"kinds":[7]}"#, "wrongType /kinds/0"),
            (#"{"kinds":["questionOpened","transactionUpdated"]}"#, "outOfRange /kinds/1"),
            (#"{"products":["a",1]}"#, "wrongType /products/1"),
            (#"{"passive":0}"#, "wrongType /passive"),
            (#"{"heartbeat":0.5}"#, "outOfRange /heartbeat"), (#"{"heartbeat":1}"#, nil),
            (#"{"heartbeat":300}"#, nil), (#"{"heartbeat":300.1}"#, "outOfRange /heartbeat"),
            (#"{"heartbeat":1e999}"#, "outOfRange /heartbeat"),
            (#"{"heartbeat":"5"}"#, "wrongType /heartbeat"),
            (#"{"onGap":"snapshots"}"#, "outOfRange /onGap"),
        ] as [(String, String?)])
    func `subscribe draws its lines where the contract does`(
        params: String, expected: String?
    ) throws {
        #expect(try refusal(Subscribe.self, params) == expected)
    }

    @Test func `an unknown word is answered with the nearest one`() throws {
        let kinds = try problem(Subscribe.self, #"{"kinds":["transactionUpdated"]}"#)
        #expect(kinds?.didYouMean == "transactionsUpdated")
        let onGap = try problem(Subscribe.self, #"{"onGap":"snapshots"}"#)
        #expect(onGap?.didYouMean == "snapshot")
        #expect(onGap?.expected == "one of snapshot, error")
    }

    @Test func `transactions reads its filters`() throws {
        let params = try decode(
            Transactions.self,
            #"{"ids":["\#(Sample.idText)","t1"],"states":["finished","failed"],"limit":500,"#
                + #""page":"p","waitingFor":["gate","store"],"search":"coins"}"#
        )
        #expect(params.ids == [.id(Sample.id), .foreign("t1")])
        #expect(params.states == [.finished, .failed])
        #expect(params.limit == 500)
        #expect(params.page == "p")
        #expect(params.waitingFor == [.gate, .store] && params.search == "coins")
        let none = try decode(Transactions.self, nil)
        #expect(none.ids == nil && none.states == nil && none.page == nil)
        #expect(none.waitingFor == nil && none.search == nil)
        let longest = String(repeating: "x", count: 256)
        #expect(
            try decode(Transactions.self, #"{"search":"\#(longest)"}"#).search?.byteCount == 256)
        #expect(
            try refusal(Transactions.self, #"{"search":"\#(longest)x"}"#) == "tooLong /search")
        #expect(none.limit == 100)
        #expect(try refusal(Transactions.self, #"{"limit":501}"#) == "outOfRange /limit")
        #expect(try refusal(Transactions.self, #"{"limit":0}"#) == "outOfRange /limit")
        #expect(
            try refusal(Transactions.self, #"{"states":["finishd"]}"#) == "outOfRange /states/0")
    }

    @Test func `wait ends at any decision unless told otherwise`() throws {
        let params = try decode(WaitForTransaction.self, #"{"transaction":"t1"}"#)
        #expect(params.subject == .transaction(.foreign("t1")))
        #expect(params.until == [.purchased, .restored, .failed, .removed])
        #expect(params.timeout == .seconds(60))
        let told = try decode(
            WaitForTransaction.self, #"{"transaction":"t1","until":["removed"],"timeout":0.25}"#)
        #expect(told.until == [.removed])
        #expect(told.timeout == .milliseconds(250))
        let late = #"{"transaction":"t1","timeout":60.01}"#
        #expect(try refusal(WaitForTransaction.self, late) == "outOfRange /timeout")
    }

    @Test func `wait is for one transaction or one restore`() throws {
        let known = try decode(
            WaitForTransaction.self, #"{"restore":"\#(Sample.restoreText)","timeout":1}"#)
        let text = OpaqueText(Sample.restoreText)
        #expect(known.subject == .restore(Sample.restore, text: text))
        let foreign = try decode(WaitForTransaction.self, #"{"restore":"r1"}"#)
        #expect(foreign.subject == .restore(nil, text: "r1"))
        let refusals = [
            ("{}", "missingParam /transaction"),
            (#"{"restore":"r1","transaction":"t1"}"#, "unknownParam /restore"),
            (#"{"restore":"r1","until":["failed"]}"#, "unknownParam /until"),
            (#"["t1"]"#, "wrongType "),
        ]
        for (params, expected) in refusals {
            #expect(try refusal(WaitForTransaction.self, params) == expected)
        }
    }

    @Test func `events needs a place to begin`() throws {
        #expect(try refusal(Events.self, "{}") == "missingParam /after")
        let params = try decode(Events.self, #"{"after":"start","wait":1.5,"limit":3,"epoch":"e"}"#)
        #expect(params.after == .start)
        #expect(params.wait == .milliseconds(1500))
        #expect(params.limit == 3)
        #expect(params.epoch == "e")
    }

    @Test func `unsubscribe reads exactly the names that subscribe gives`() throws {
        #expect(try decode(Unsubscribe.self, #"["s12"]"#).subscription == SubscriptionID(12))
        for text in ["s", "s01", "12", "S1", "s+1", "s-1", "", "s18446744073709551616"] {
            #expect(try decode(Unsubscribe.self, #"["\#(text)"]"#).subscription == nil)
        }
    }

    @Test func `ping keeps its payload byte by byte`() throws {
        let payload = #"{"a" : [1.0, "\u0061"]}"#
        let params = try decode(Ping.self, #"{"payload": \#(payload) }"#)
        #expect(params.payload == Array(payload.utf8))
        #expect(try refusal(Ping.self, "[\(quoted(bytes: 126))]") == nil)
        #expect(try refusal(Ping.self, "[\(quoted(bytes: 127))]") == "tooLong /payload")
    }

    @Test func `cancel keeps the id byte by byte`() throws {
        #expect(try decode(Cancel.self, "[1.0]").id == Array("1.0".utf8))
        #expect(try decode(Cancel.self, #"{"id":"\u0061"}"#).id == Array(#""\u0061""#.utf8))
        #expect(try decode(Cancel.self, "[null]").id == Array("null".utf8))
        #expect(try refusal(Cancel.self, "[true]") == "wrongType /id")
        #expect(try refusal(Cancel.self, nil) == "missingParam /id")
    }

    @Test func `hello reads who calls`() throws {
        let params = try decode(Hello.self, #"{"client":{"version":"2","name":"shop"},"api":1}"#)
        #expect(params.client == "shop")
        #expect(params.clientVersion == "2")
        #expect(params.api == 1)
        #expect(try refusal(Hello.self, #"{"client":{}}"#) == "missingParam /client/name")
        #expect(try refusal(Hello.self, #"{"client":{"nam":1}}"#) == "unknownParam /client/nam")
        #expect(try problem(Hello.self, #"{"client":{"nam":1}}"#)?.didYouMean == "name")
        #expect(try refusal(Hello.self, #"{"client":{"name":1}}"#) == "wrongType /client/name")
        #expect(try refusal(Hello.self, #"{"api":0}"#) == "outOfRange /api")
    }

    @Test func `storefront tells a country from taking it back and from looking`() throws {
        #expect(try decode(StorefrontMethod.self, nil).assume == nil)
        #expect(try decode(StorefrontMethod.self, #"[""]"#).assume == .nothing)
        #expect(
            try decode(StorefrontMethod.self, #"["FR"]"#).assume == .country(Sample.country("FR")))
        for text in ["F", "FRA", "fr", "F1", "ZZ", "AA"] {
            #expect(try refusal(StorefrontMethod.self, #"["\#(text)"]"#) == "outOfRange /assume")
        }
    }

    @Test func `products asks for one to a hundred identifiers`() throws {
        let ids = { (count: Int) in
            #"{"ids":["# + Array(repeating: #""a""#, count: count).joined(separator: ",") + "]}"
        }
        #expect(try decode(Products.self, ids(100)).ids?.count == 100)
        #expect(try refusal(Products.self, ids(101)) == "outOfRange /ids")
        #expect(try refusal(Products.self, ids(0)) == "outOfRange /ids")
        #expect(try decode(Products.self, nil).ids == nil)
    }

    @Test func `login takes an account, or asks for one`() throws {
        #expect(try decode(Login.self, #"["demo"]"#).account == "demo")
        #expect(try decode(Login.self, nil) == Login.Params())
        #expect(try refusal(Login.self, #"{"credential":"x"}"#) == "missingParam /account")
    }
}
