import PaymentAPI
import StrictJSON
import Testing

@Suite struct HelpTests {
    @Test(arguments: Contract.names)
    func `help knows every method`(name: String) throws {
        let text = try #require(Help.text(for: name))
        let spec = try #require(Contract.spec(named: name))
        #expect(text.contains("\n\(name) - \(spec.summary)\n"))
        for parameter in spec.parameters { #expect(text.contains("\n  \(parameter.name) ")) }
        for code in spec.errors { #expect(text.contains("\n  \(code.rawValue) ")) }
        #expect(Help.overview.contains("\n  \(name) "))
    }

    @Test(arguments: Contract.names)
    func `help begins with a request that can be pasted`(name: String) throws {
        let text = try #require(Help.text(for: name))
        let line = String(text.prefix { $0 != "\n" })
        let request = try JSONValue(parsing: line)
        #expect(request["method"]?.stringValue == name)
        let method = try #require(Contract.method(named: name))
        #expect(try problem(method, request["params"]?.jsonText()) == nil)
    }

    @Test(arguments: [nil] + Contract.names)
    func `no line but the request is wider than 80 columns`(name: String?) throws {
        let text = try #require(Help.text(for: name))
        let lines: [Substring] = text.split(separator: "\n")
        let wide = lines.dropFirst().filter { $0.count > 80 }
        #expect(wide == [])
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }

    @Test func `help without a method lists all of them behind an example`() throws {
        let lines = Help.overview.split(separator: Character("\n"))
        let request = try JSONValue(parsing: String(lines[0]))
        #expect(request["method"] == "help")
        #expect(lines.count <= Contract.names.count + 8)
    }

    @Test func `help of an unknown method is none`() {
        #expect(Help.text(for: "nope") == nil)
    }

    @Test func `help of add reads like this`() throws {
        let text = try #require(Help.text(for: "add"))
        #expect(
            text.hasPrefix(
                """
                {"jsonrpc":"2.0","id":1,"method":"add","params":{"product":"coins.100","key":"order-7781"}}

                add - Buy a product

                Accepts a payment. When the reply arrives, the transaction is on stable storage;

                """))
        #expect(text.contains("\n  product          Required. The identifier of the product."))
        #expect(text.hasSuffix("\nRole: buy. The call may wait.\n"))
    }
}
