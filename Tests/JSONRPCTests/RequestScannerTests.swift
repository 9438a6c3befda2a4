import JSONRPC
import StrictJSON
import Testing

@Suite("Reading requests")
struct RequestScannerTests {
    @Test("A request gives its method, parameters and id")
    func request() throws {
        let request = Request(#"{"jsonrpc":"2.0","id":7,"method":"add","params":{"product":"x"}}"#)
        let envelope = try #require(request.envelope)
        #expect(request.name(envelope) == "add")
        #expect(request.params(envelope) == ["product": "x"])
        #expect(request.text(envelope.id) == "7")
        #expect(!envelope.isNotification)
    }

    @Test(
        "Members may stand in any order and spelling, and unknown ones are ignored",
        arguments: [
            #"{"method":"ping","jsonrpc":"2.0","id":1}"#,
            #" { "id" : 1 , "x" : [ { } ] , "method" : "ping" , "jsonrpc" : "2.0" } "#,
            #"{"\u0069d":1,"\u006dethod":"pin\u0067","jsonrp\u0063":"2\u002e0"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"ping","Params":7,"":null,"trace":"t"}"#,
        ])
    func spelling(line: String) throws {
        let request = Request(line)
        let envelope = try #require(request.envelope)
        #expect(request.name(envelope) == "ping")
        #expect(request.text(envelope.id) == "1")
        #expect(envelope.params == nil)
    }

    @Test(
        "An id comes back as the very bytes that were sent",
        arguments: [
            "1", "0", "-0", "1.0", "1e2", "1E+2", "-1.50", "123456789012345678901234567890",
            "null", #""""#, #""abc""#, #""a\/b""#, #""\u0061""#, #""\ud83d\ude00""#, #""é😀""#,
            #""\"""#, "\"" + String(repeating: "x", count: 254) + "\"",
            String(repeating: "9", count: 256),
        ])
    func idBytes(id: String) throws {
        for line in [
            "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"m\"}",
            "{\"method\":\"m\",\"jsonrpc\":\"2.0\",\"id\": \(id) }",
        ] {
            let request = Request(line)
            let envelope = try #require(request.envelope)
            #expect(request.text(envelope.id) == id)
            var writer = JSONWriter()
            writer.beginReply(idBytes: request.line.span.extracting(try #require(envelope.id)))
            writer.null()
            writer.endReply()
            let reply = String(decoding: writer.bytes, as: UTF8.self)
            #expect(reply == "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":null}")
            #expect(!envelope.isNotification)
        }
    }

    @Test(
        "Any other id is refused, and the answer's id is null",
        arguments: [
            "true", "false", "{}", "[]", "[1]", "{\"a\":1}",
            "\"" + String(repeating: "x", count: 255) + "\"", String(repeating: "9", count: 257),
        ])
    func badID(id: String) throws {
        let fault = try #require(
            Request("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"m\"}").fault)
        #expect(fault.kind == .badId)
        #expect(fault.code == -32600)
        #expect(fault.id == nil)
        #expect(fault.limit == (id.utf8.count > 256 ? 256 : nil))
    }

    @Test("Only a missing id makes a notification")
    func notification() throws {
        let line = #"{"jsonrpc":"2.0","method":"ping","params":[]}"#
        #expect(try #require(Request(line).envelope).isNotification)
        let null = #"{"jsonrpc":"2.0","method":"ping","id":null}"#
        #expect(try #require(Request(null).envelope).isNotification == false)
    }

    struct Invalid: Sendable, CustomTestStringConvertible {
        let line: String
        let kind: RPCFault.Kind
        let id: String?
        var testDescription: String { line }
    }

    @Test(
        "An invalid request is refused, addressed to its id if that is valid",
        arguments: [
            Invalid(line: "7", kind: .notAnObject, id: nil),
            Invalid(line: "null", kind: .notAnObject, id: nil),
            Invalid(line: #""ping""#, kind: .notAnObject, id: nil),
            Invalid(line: "{}", kind: .badVersion, id: nil),
            Invalid(line: #"{"id":1,"method":"m"}"#, kind: .badVersion, id: "1"),
            Invalid(line: #"{"jsonrpc":2.0,"id":1,"method":"m"}"#, kind: .badVersion, id: "1"),
            Invalid(line: #"{"jsonrpc":"1.0","id":1,"method":"m"}"#, kind: .badVersion, id: "1"),
            Invalid(line: #"{"jsonrpc":"2.00","id":1,"method":"m"}"#, kind: .badVersion, id: "1"),
            Invalid(line: #"{"jsonrpc":null,"id":1,"method":"m"}"#, kind: .badVersion, id: "1"),
            Invalid(line: #"{"jsonrpc":"2.0","id":"a"}"#, kind: .badMethod, id: #""a""#),
            Invalid(line: #"{"jsonrpc":"2.0","id":1,"method":1}"#, kind: .badMethod, id: "1"),
            Invalid(line: #"{"jsonrpc":"2.0","id":1,"method":null}"#, kind: .badMethod, id: "1"),
            Invalid(line: #"{"jsonrpc":"2.0","method":["m"]}"#, kind: .badMethod, id: nil),
            Invalid(
                line: #"{"jsonrpc":"2.0","id":1.0,"method":"m","params":null}"#, kind: .badParams,
                id: "1.0"),
            Invalid(
                line: #"{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}"#, kind: .badParams,
                id: "1"),
            Invalid(
                line: #"{"jsonrpc":"2.0","id":null,"method":"m","params":0}"#, kind: .badParams,
                id: "null"),
            Invalid(line: #"{"jsonrpc":"2.0","method":"m","params":1}"#, kind: .badParams, id: nil),
            Invalid(line: #"{"jsonrpc":"2.0","id":1,"result":19}"#, kind: .badMethod, id: nil),
            Invalid(line: #"{"jsonrpc":"2.0","id":1,"error":{}}"#, kind: .badMethod, id: nil),
            Invalid(
                line: #"{"jsonrpc":"2.0","id":1,"method":"m","result":1}"#, kind: .badMethod,
                id: nil),
            Invalid(line: #"{"result":1,"id":[]}"#, kind: .badMethod, id: nil),
            Invalid(line: "[]", kind: .emptyBatch, id: nil),
            Invalid(line: " [ ] ", kind: .emptyBatch, id: nil),
            Invalid(line: "[1,2,3,4,5]", kind: .batchTooLarge, id: nil),
        ])
    func invalid(invalid: Invalid) throws {
        let request = Request(invalid.line)
        let fault = try #require(request.fault)
        #expect(fault.kind == invalid.kind)
        #expect(fault.code == -32600)
        #expect(request.text(fault.id) == invalid.id)
        #expect(fault.limit == (invalid.kind == .batchTooLarge ? 4 : nil))
    }

    @Test("A batch of the limit keeps its order, with each fault in its place")
    func batch() throws {
        let request = Request(
            #"[{"jsonrpc":"2.0","id":10,"method":"a"},{"jsonrpc":"2.0","method":"b"},7,[]]"#)
        let batch = try #require(request.batch)
        #expect(batch.count == 4)
        guard case .request(let first) = batch[0], case .request(let second) = batch[1] else {
            Issue.record("two requests were expected")
            return
        }
        #expect(request.name(first) == "a")
        #expect(request.text(first.id) == "10")
        #expect(request.name(second) == "b")
        #expect(second.isNotification)
        #expect(batch[2] == .fault(RPCFault(kind: .notAnObject)))
        #expect(batch[3] == .fault(RPCFault(kind: .notAnObject)))
    }

    @Test("An element of a batch is refused with its own id")
    func batchElement() throws {
        let request = Request(#"[{"jsonrpc":"2.0","id":"é","method":7}]"#)
        guard case .fault(let fault)? = request.batch?.first else {
            Issue.record("a fault was expected")
            return
        }
        #expect(fault.kind == .badMethod)
        #expect(request.text(fault.id) == "\"é\"")
    }

    @Test(
        "A fault in the text of a line refuses the line",
        arguments: [
            (#"{"jsonrpc":"2.0","id":1,"method":"m""#, RPCFault.Kind.syntax, -32700),
            ("oops", .syntax, -32700),
            (#"{"jsonrpc":"2.0","method":"foobar,"params":"bar","baz]"#, .syntax, -32700),
            ("\u{FEFF}{}", .encoding, -32700),
            (#"{"id":1,"id":2}"#, .duplicateName, -32600),
            (#"[{"jsonrpc":"2.0","method":"m"},{"a":1,"a":1}]"#, .duplicateName, -32600),
            (#"["\uD800"]"#, .loneSurrogate, -32600),
            ("[[[[1]]]]", .tooDeep, -32600),
            ("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]", .tooManyTokens, -32600),
        ])
    func textFault(line: String, kind: RPCFault.Kind, code: Int) throws {
        let limits = JSONLimits(maximumDepth: 3, maximumTokens: 16)
        let fault = try #require(Request(line, limits: limits).fault)
        #expect(fault.kind == kind)
        #expect(fault.code == code)
        #expect(fault.offset != nil)
        #expect(fault.id == nil)
        let limit: Int? = kind == .tooDeep ? 3 : kind == .tooManyTokens ? 16 : nil
        #expect(fault.limit == limit)
    }

    @Test(
        "A refused request is told by its id only if the id is certain",
        arguments: [
            (#"{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":1,"a":2}}"#, "5"),
            (#"{"jsonrpc":"2.0","id":5,"method":"m","method":"n"}"#, "5"),
            (#"{"id":5,"id":5,"method":"m"}"#, nil),
            (#"{"id":5,"i\u0064":6,"method":"m"}"#, nil),
            (#"{"id":"\uD800","method":"m"}"#, nil),
            (#"{"id":"x","method":"\uD800"}"#, #""x""#),
            (#"{"params":[[[[1]]]],"id":5}"#, "5"),
            (#"{"id":[1],"a":1,"a":1}"#, nil),
            (#"{"id":5,"result":{"a":1,"a":1}}"#, nil),
            (#"[{"id":5,"a":1,"a":1}]"#, nil),
            (#"{"id":5,"x":[0,1,2,3,4,5,6,7,8,9,10,11,12,13]}"#, nil),
        ] as [(String, String?)])
    func certainID(line: String, id: String?) throws {
        let request = Request(line, limits: JSONLimits(maximumDepth: 3, maximumTokens: 16))
        let fault = try #require(request.fault)
        #expect(request.text(fault.id) == id)
    }

    @Test("A scanner forgets the line before")
    func reuse() {
        var scanner = RequestScanner()
        let lines = [#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "oops", "[]", "7"]
        for line in lines + lines.reversed() {
            let bytes = Array(line.utf8)
            let kept = scanner.scan(bytes.span, batchLimit: 4)
            #expect(kept == Request(line).result)
        }
    }

    @Test("Every refusal has a word, a code and says that nothing was done")
    func kinds() {
        for kind in RPCFault.Kind.allCases {
            let error = RPCFault(kind: kind, offset: 3, limit: 9).errorObject
            let data = JSONValue.object(error.data)
            #expect(data["kind"]?.stringValue == kind.rawValue)
            #expect(data["retry"] == "no")
            #expect(data["effect"] == "none")
            #expect(data["offset"] == 3)
            #expect(data["limit"] == 9)
            let isParseError = kind == .syntax || kind == .encoding
            #expect(error.code == (isParseError ? -32700 : -32600))
        }
    }
}
