import JSONRPC
import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct CheckTests {
    @Test func `a call that would be understood has nothing against it`() throws {
        #expect(try verdict(#"{"method":"add","params":{"product":"a"}}"#) == nil)
        #expect(try verdict(#"["finish",["t1"]]"#) == nil)
        #expect(try verdict(#"["status"]"#) == nil)
        #expect(try verdict(#"["check",{"method":"nope"}]"#) == nil)
    }

    @Test func `wrong parameters get the answer of the method itself`() throws {
        let found = try verdict(#"["add",{"produkt":"a"}]"#)
        #expect(found == (try problem(AddPayment.self, #"{"produkt":"a"}"#)?.errorObject))
        #expect(found?.code == -32602)
    }

    @Test func `an unknown method is found missing, with a hint`() throws {
        #expect(try verdict(#"["ad"]"#) == Failures.methodNotFound("ad"))
        #expect(try verdict(#"["subcribe"]"#)?.data.last?.value == "subscribe")
    }

    @Test func `a role that the peer lacks is found missing`() throws {
        #expect(
            try verdict(#"["add",{"product":"a"}]"#, [.observe]) == Failures.forbidden(need: .buy))
        #expect(try verdict(#"["test.get"]"#, [.buy])?.code == -32007)
    }

    @Test func `its own parameters are checked first`() throws {
        #expect(try refusal(Check.self, "{}") == "missingParam /method")
        #expect(try refusal(Check.self, #"["add",1]"#) == "wrongType /params")
    }

    private func verdict(
        _ params: String, _ roles: Set<Role> = Set(Role.allCases)
    ) throws -> ErrorObject? {
        let bytes = Array(params.utf8)
        var tape = JSONTape()
        try tape.scan(bytes.span)
        let call = try Check.call(tape, params: 0, in: bytes.span)
        return Check.verdict(
            call.params, roles: roles, limits: Limits(), tape: tape, in: bytes.span)
    }
}
