import PaymentAPI
import PaymentCore
import Testing

@Suite struct GateDecodingTests {
    @Test func `restore reads its filter and its key`() throws {
        let params = try decode(RestorePurchases.self, #"{"appAccountToken":"u7","key":"k"}"#)
        #expect(params.key == "k" && params.appAccountToken == "u7")
        #expect(try decode(RestorePurchases.self, nil) == RestorePurchases.Params())
        #expect(try refusal(RestorePurchases.self, "[\(quoted(bytes: 129))]") == "tooLong /key")
        let long = #"{"appAccountToken":\#(quoted(bytes: 257))}"#
        #expect(try refusal(RestorePurchases.self, long) == "tooLong /appAccountToken")
    }

    @Test func `delegate changes what is given and nothing else`() throws {
        let old = GatePolicy(mode: .stop, timeoutMs: 5000, fallback: true, afterLogin: .ask)
        let looked = try decode(Delegate.self, "{}")
        #expect(looked.isEmpty)
        #expect(looked.applied(to: old) == old)
        let timeout = try decode(Delegate.self, #"{"timeout":1.5}"#)
        #expect(!timeout.isEmpty)
        #expect(
            timeout.applied(to: old)
                == GatePolicy(mode: .stop, timeoutMs: 1500, fallback: true, afterLogin: .ask))
        let all = try decode(
            Delegate.self,
            #"{"mode":"ask","timeout":300,"fallback":false,"afterLogin":"continue"}"#)
        #expect(
            all.applied(to: old)
                == GatePolicy(
                    mode: .ask, timeoutMs: 300_000, fallback: false, afterLogin: .continue))
    }

    @Test(arguments: GatePolicy.Mode.allCases)
    func `delegate knows every mode`(mode: GatePolicy.Mode) throws {
        let params = try decode(Delegate.self, #"{"mode":"\#(mode.rawValue)"}"#)
        #expect(params.mode == mode)
    }

    @Test(
        arguments: [
            (#"{"timeout":0.9}"#, "outOfRange /timeout"),
            (#"{"timeout":300.1}"#, "outOfRange /timeout"),
            (#"{"mode":"aks"}"#, "outOfRange /mode"),
            (#"{"fallback":"no"}"#, "wrongType /fallback"),
            (#"{"afterLogin":"stop"}"#, "outOfRange /afterLogin"),
            (#"["ask"]"#, "wrongType "),
        ])
    func `delegate draws its lines where the contract does`(
        params: String, expected: String
    ) throws {
        #expect(try refusal(Delegate.self, params) == expected)
    }

    @Test(arguments: ["1", "\"true\"", "null", "[]"])
    func `an answer is true or false and nothing else`(value: String) throws {
        let text = #"{"question":"q","value":\#(value)}"#
        #expect(try refusal(AnswerQuestion.self, text) == "wrongType /value")
    }

    @Test func `an answer names its question`() throws {
        let params = try decode(
            AnswerQuestion.self,
            #"{"question":"\#(Sample.questionText)","value":false,"reason":"too dear"}"#)
        #expect(params.question == Sample.question)
        #expect(params.text == OpaqueText(Sample.questionText))
        #expect(!params.value)
        #expect(params.reason == "too dear")
        let foreign = try decode(AnswerQuestion.self, #"{"question":"q1","value":true}"#)
        #expect(foreign.question == nil)
        #expect(try refusal(AnswerQuestion.self, #"{"question":"q1"}"#) == "missingParam /value")
        let long = #"{"question":"q1","value":true,"reason":\#(quoted(bytes: 257))}"#
        #expect(try refusal(AnswerQuestion.self, long) == "tooLong /reason")
    }

    @Test func `drain says whether`() throws {
        #expect(try decode(Drain.self, "[true]").isOn)
        #expect(try !decode(Drain.self, #"{"on":false}"#).isOn)
        #expect(try refusal(Drain.self, nil) == "missingParam /on")
    }

    @Test func `every call may carry a trace of at most 256 bytes`() throws {
        for method in Contract.methods {
            let wrong = try problem(method, #"{"trace":\#(quoted(bytes: 257))}"#)
            let required = method.spec.parameters.contains(where: \.isRequired)
            #expect(required || wrong?.path == "/trace" && wrong?.kind == .tooLong)
            let right = try problem(method, #"{"trace":\#(quoted(bytes: 256))}"#)
            #expect(right?.path != "/trace")
        }
    }
}
