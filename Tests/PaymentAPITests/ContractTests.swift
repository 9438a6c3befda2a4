import PaymentAPI
import PaymentCore
import StrictJSON
import Testing

@Suite struct ContractTests {
    @Test(arguments: Contract.names)
    func `a method is found by its name on the tape`(name: String) throws {
        let place = try #require(try place(of: "\"\(name)\""))
        #expect("\(Contract.methods[place].spec.name)" == name)
        #expect(Contract.place(of: Contract.methods[place]) == place)
        let escaped = name.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
        #expect(try self.place(of: "\"\(escaped)\"") == place)
    }

    @Test(arguments: ["\"\"", "\"ad\"", "\"adds\"", "\"ADD\"", "\"add \"", "1"])
    func `what is no method is not found`(token: String) throws {
        #expect(try place(of: token) == nil)
    }

    @Test func `a name is compared by bytes`() {
        #expect(Contract.spec(named: "add") === AddPayment.spec)
        #expect(Contract.spec(named: "a\u{64}d") === AddPayment.spec)
        #expect(Contract.spec(named: "add\u{301}") == nil)
    }

    @Test(arguments: Contract.names)
    func `no parameter has a name that means something else`(name: String) throws {
        let names = try #require(Contract.spec(named: name)).parameters.map { "\($0.name)" }
        #expect(Set(names).count == names.count)
        #expect(!names.contains("trace"))
        #expect(names.count <= 16)
    }

    @Test(arguments: Contract.names)
    func `each parameter alone is understood where the contract puts it`(name: String) throws {
        let method = try #require(Contract.method(named: name))
        for parameter in method.spec.parameters {
            let wrong = parameter.shape.schema["type"] == "boolean" ? "{}" : "[[[]]]"
            let text = #"{"\#(parameter.name)":\#(wrong)}"#
            let found = try problem(method, text)
            if case .anything = parameter.shape { continue }
            if case .parameters = parameter.shape { continue }
            let required = method.spec.parameters.first { $0.isRequired }.map { "/\($0.name)" }
            let expected = ["/\(parameter.name)", "/\(parameter.name)/0", required]
            #expect(expected.contains(found?.path))
        }
    }

    private func place(of token: String) throws -> Int? {
        let bytes = Array(token.utf8)
        var tape = JSONTape()
        try tape.scan(bytes.span)
        return Contract.place(ofMethod: 0, tape: tape, in: bytes.span)
    }
}
