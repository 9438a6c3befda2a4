import PaymentAPI
import PaymentCore
import Testing

@Suite struct ParameterTests {
    @Test(
        arguments: [
            #"{"product":"coins.100"}"#, #"{"product":""}"#, #"["coins.100"]"#,
            #"{"product":"a","key":"k","appAccountToken":"t","trace":"00-x"}"#,
            #"{"\u0070roduct":"a"}"#,
        ])
    func `add accepts what the contract allows`(params: String) throws {
        // Three parameters are too many for an array.
        let expected = params.hasPrefix("[") ? "wrongType " : nil
        #expect(try refusal(AddPayment.self, params) == expected)
    }

    @Test(
        arguments: [
            (nil, "missingParam /product"), ("{}", "missingParam /product"),
            ("[]", "missingParam /product"), (#"{"product":null}"#, "wrongType /product"),
            (#"{"product":1}"#, "wrongType /product"),
            (#"{"produkt":"a"}"#, "unknownParam /produkt"),
            (#"{"product":1,"produkt":"a"}"#, "unknownParam /produkt"),
            (#"{"product":"a","key":7}"#, "wrongType /key"),
            (#"{"product":"a","trace":7}"#, "wrongType /trace"),
            (#"{"product":"a","a/b~":7}"#, "unknownParam /a~1b~0"),
        ])
    func `add says what is wrong and where`(params: String?, expected: String) throws {
        #expect(try refusal(AddPayment.self, params) == expected)
    }

    @Test(
        arguments: [
            ("key", \Limits.keyBytes), ("appAccountToken", \.appAccountTokenBytes),
            ("trace", \.traceBytes),
        ] as [(String, any WritableKeyPath<Limits, Int> & Sendable)])
    func `texts have the limits of the configuration`(
        name: String, path: any WritableKeyPath<Limits, Int> & Sendable
    ) throws {
        for limit in [4, 1000] {
            var limits = Limits()
            limits[keyPath: path] = limit
            func params(_ count: Int) -> String {
                #"{"product":"a","\#(name)":\#(quoted(bytes: count))}"#
            }
            #expect(try refusal(AddPayment.self, params(limit), limits) == nil)
            let found = try problem(AddPayment.self, params(limit + 1), limits)
            #expect(found?.kind == .tooLong && found?.path == "/\(name)")
            #expect(found?.expected == "a string of at most \(limit) bytes")
        }
    }

    @Test(
        arguments: [("key", 128), ("appAccountToken", 256), ("trace", 256)])
    func `texts are limited in bytes`(name: String, limit: Int) throws {
        func params(_ text: String) -> String { #"{"product":"a","\#(name)":\#(text)}"# }
        #expect(try refusal(AddPayment.self, params(quoted(bytes: limit))) == nil)
        let tooLong = try refusal(AddPayment.self, params(quoted(bytes: limit + 1)))
        #expect(tooLong == "tooLong /\(name)")
        let twoByteLetters = "\"" + String(repeating: "é", count: limit / 2 + 1) + "\""
        #expect(try refusal(AddPayment.self, params(twoByteLetters)) == "tooLong /\(name)")
        let escaped = "\"" + String(repeating: "\\u0061", count: limit) + "\""
        #expect(try refusal(AddPayment.self, params(escaped)) == nil)
    }

    @Test func `add keeps texts as they were sent`() throws {
        let params = try decode(
            AddPayment.self, #"{"product":"\u0061\n","key":"é","appAccountToken":"e\u0301"}"#)
        #expect(params.productIdentifier == "a\n")
        #expect(params.key == OpaqueText("é"))
        #expect(params.appAccountToken == OpaqueText("e\u{301}"))
        #expect(params.appAccountToken != OpaqueText("é"))
    }

    @Test func `unknown names are refused before anything else and in the order of the line`()
        throws
    {
        let found = try problem(AddPayment.self, #"{"kee":1,"produkt":2}"#)
        #expect(found?.path == "/kee")
        #expect(found?.didYouMean == "key")
    }

    @Test func `a name that resembles none gets no hint`() throws {
        #expect(try problem(AddPayment.self, #"{"zzzzzz":1}"#)?.didYouMean == nil)
    }

    @Test func `a method without parameters refuses any but trace`() throws {
        #expect(try refusal(Logout.self, nil) == nil)
        #expect(try refusal(Logout.self, "{}") == nil)
        #expect(try refusal(Logout.self, "[]") == nil)
        #expect(try refusal(Logout.self, #"{"trace":"t"}"#) == nil)
        #expect(try refusal(Logout.self, #"{"a":1}"#) == "unknownParam /a")
        #expect(try refusal(Logout.self, "[1]") == "unknownParam /0")
    }

    @Test func `the trace context comes back beside the parameters`() throws {
        #expect(try call(Logout.self, #"{"trace":"00-ab"}"#).trace == "00-ab")
        #expect(try call(Logout.self, "{}").trace == nil)
    }

    @Test(arguments: Contract.names)
    func `an empty array is no parameters, everywhere`(name: String) throws {
        let method = try #require(Contract.method(named: name))
        #expect(try refusal(method, "[]") == (try refusal(method, nil)))
    }

    @Test(arguments: Contract.names)
    func `arrays are accepted for at most two parameters`(name: String) throws {
        let method = try #require(Contract.method(named: name))
        let params = method.spec.parameters
        let values = params.map { member in
            method.spec.example.params[member.name.description]?.jsonText()
        }
        let given = values.prefix { $0 != nil }.compactMap { $0 }
        guard !given.isEmpty else { return }
        let found = try refusal(method, "[" + given.joined(separator: ",") + "]")
        #expect(found == (params.count <= 2 ? nil : "wrongType "))
    }

    @Test func `a third element is refused by its place`() throws {
        #expect(try refusal(Login.self, #"["demo","secret"]"#) == nil)
        #expect(try refusal(Login.self, #"["demo","secret",1]"#) == "unknownParam /2")
    }

    @Test(arguments: ["1", "\"a\"", "true", "null"])
    func `parameters are an object or an array`(params: String) throws {
        #expect(try refusal(Ping.self, params) == "wrongType ")
    }
}
