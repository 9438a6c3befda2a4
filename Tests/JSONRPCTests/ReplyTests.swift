import JSONRPC
import StrictJSON
import Testing

@Suite("Writing replies")
struct ReplyTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("A result stands after version and id")
    func result() {
        let id = Array("\"a\\/b\"".utf8)
        let text = written { writer in
            writer.beginReply(idBytes: id.span)
            writer.beginObject()
            writer.name("seq")
            writer.integer(7)
            writer.endObject()
            writer.endReply()
            writer.endLine()
        }
        #expect(text == #"{"jsonrpc":"2.0","id":"a\/b","result":{"seq":7}}"# + "\n")
    }

    @Test("An error has code, message and data, in this order")
    func error() {
        let error = ErrorObject(
            code: 1102, message: "Key was used",
            data: [
                JSONMember(name: "kind", value: "keyReuse"),
                JSONMember(name: "q\"", value: [1, nil]),
            ])
        let id = Array("1.0".utf8)
        let expected =
            #""error":{"code":1102,"message":"Key was used","#
            + #""data":{"kind":"keyReuse","q\"":[1,null]}}}"#
        #expect(
            written { $0.writeError(error, idBytes: id.span) } == #"{"jsonrpc":"2.0","id":1.0,"#
                + expected)
        #expect(written { $0.writeError(error) } == #"{"jsonrpc":"2.0","id":null,"# + expected)
    }

    @Test("An error without data has empty data")
    func emptyData() {
        let text = written { $0.writeError(ErrorObject(code: -1, message: "", data: [])) }
        #expect(text == #"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"","data":{}}}"#)
    }

    @Test("A notification stands with method and parameters")
    func notification() {
        let text = written { writer in
            writer.beginNotification("caughtUp")
            writer.raw(#"{"seq":1}"#)
            writer.endNotification()
            writer.endLine()
        }
        #expect(text == #"{"jsonrpc":"2.0","method":"caughtUp","params":{"seq":1}}"# + "\n")
    }

    @Test("Replies of a batch are elements of one array")
    func batch() {
        let id = Array("1".utf8)
        let text = written { writer in
            writer.beginArray()
            writer.element()
            writer.beginReply(idBytes: id.span)
            writer.bool(true)
            writer.endReply()
            writer.element()
            writer.writeError(ErrorObject(code: 1, message: "m", data: []))
            writer.endArray()
            writer.endLine()
        }
        #expect(
            text == #"[{"jsonrpc":"2.0","id":1,"result":true},"#
                + #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m","data":{}}}]"# + "\n"
        )
    }

    struct Faulty: Sendable, CustomTestStringConvertible {
        let line: String
        let id: String
        let code: Int
        let message: String
        let data: String
        var testDescription: String { line }

        var reply: String {
            #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"\#(message)","#
                + #""data":{"kind":\#(data)}}}"#
        }
    }

    @Test(
        "A faulty line gets one whole reply",
        arguments: [
            Faulty(
                line: "oops", id: "null", code: -32700, message: "Parse error",
                data: #""syntax","retry":"no","effect":"none","offset":0"#),
            Faulty(
                line: "[]", id: "null", code: -32600, message: "Invalid Request",
                data: #""emptyBatch","retry":"no","effect":"none""#),
            Faulty(
                line: #"{"id":1e2}"#, id: "1e2", code: -32600, message: "Invalid Request",
                data: #""badVersion","retry":"no","effect":"none""#),
            Faulty(
                line: "[1,2,3,4,5]", id: "null", code: -32600, message: "Invalid Request",
                data: #""batchTooLarge","retry":"no","effect":"none","limit":4"#),
        ])
    func faults(faulty: Faulty) throws {
        let text = try #require(Request(faulty.line).errorReply)
        #expect(text == faulty.reply)
        #expect(try JSONValue(parsing: text).jsonText() == text)
    }
}
