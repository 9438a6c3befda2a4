import StrictJSON
import Testing

@Suite("Writing canonical JSON")
struct WriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 16)
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Only what JSON demands is escaped")
    func escapes() {
        let text = "\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é\u{2028}😀'<&"
        let expected = #""\"\\/\b\t\n\f\r\u0000\u001f"# + "\u{7F}é\u{2028}😀'<&\""
        #expect(written { $0.string(text) } == expected)
        let bytes = Array(text.utf8)
        let fromBytes = written { $0.string(utf8: bytes.span) }
        #expect(fromBytes == expected)
    }

    @Test("Every control character survives at every distance from the start")
    func controls() throws {
        for distance in 0..<20 {
            for code in UInt8(0)..<0x20 {
                let text =
                    String(repeating: "é", count: distance / 2)
                    + String(repeating: "x", count: distance) + String(Unicode.Scalar(code)) + "yyé"
                let json = written { $0.string(text) }
                #expect(try JSONValue(parsing: json) == .string(text))
                #expect(json.utf8.allSatisfy { $0 >= 0x20 })
            }
        }
    }

    @Test("Integers are written to the edges of their types")
    func integers() {
        #expect(written { $0.integer(0) } == "0")
        #expect(written { $0.integer(-1) } == "-1")
        #expect(written { $0.integer(UInt8.max) } == "255")
        #expect(written { $0.integer(Int8.min) } == "-128")
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(Int64.max) } == "9223372036854775807")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(Int128.min) } == String(Int128.min))
        for power in 0..<19 {
            let value = (0..<power).reduce(1) { product, _ in product * 10 }
            for near in [value - 1, value, value + 1, -value] {
                #expect(written { $0.integer(near) } == String(near))
            }
        }
    }

    @Test("The structured layer sets every comma and no other")
    func structure() throws {
        let text = written { writer in
            writer.beginObject()
            writer.name("a")
            writer.beginArray()
            writer.element()
            writer.integer(1)
            writer.element()
            writer.beginObject()
            writer.endObject()
            writer.element()
            writer.string("{")
            writer.element()
            writer.beginArray()
            writer.element()
            writer.null()
            writer.endArray()
            writer.endArray()
            writer.name("q\"" as String)
            writer.bool(true)
            writer.name("r")
            writer.raw("[1,2]")
            writer.name("s")
            writer.raw(Array("{}".utf8))
            writer.name("t")
            writer.raw(Array("false".utf8).span)
            writer.name("u")
            writer.value(["x": [1, "["]])
            writer.name("v")
            writer.string("[")
            writer.endObject()
        }
        #expect(
            text
                == #"{"a":[1,{},"{",[null]],"q\"":true,"r":[1,2],"s":{},"t":false,"#
                + #""u":{"x":[1,"["]},"v":"["}"#
        )
        #expect(try JSONValue(parsing: text).jsonText() == text)
    }

    @Test("A forgotten text leaves its room")
    func reuse() {
        var writer = JSONWriter(capacity: 1000)
        writer.string("a")
        let room = writer.bytes.capacity
        writer.removeAll()
        #expect(writer.bytes.isEmpty)
        #expect(writer.bytes.capacity == room)
    }
}
