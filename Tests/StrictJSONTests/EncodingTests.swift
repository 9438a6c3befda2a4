import StrictJSON
import Testing

@Suite("Encodings and escapes")
struct EncodingTests {
    @Test(
        "Well-formed UTF-8 is accepted up to its edges",
        arguments: [
            [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF],
            [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xEC, 0x80, 0xBF], [0xF0, 0x90, 0x80, 0x80],
            [0xF1, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
        ] as [[UInt8]])
    func wellFormed(sequence: [UInt8]) {
        #expect(fault([0x22] + sequence + [0x22]) == nil)
        #expect(fault([0x22] + sequence + sequence + [0x61] + sequence + [0x22]) == nil)
    }

    @Test(
        "Ill-formed UTF-8 is an encoding fault at the sequence",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xC2, 0xC2, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xE2, 0x82], [0xE2, 0x41, 0x80], [0xE2, 0x82, 0x41], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF0, 0x9F, 0x41, 0x80], [0xF0, 0x9F, 0x98, 0x41], [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0xFE], [0xFF],
        ] as [[UInt8]])
    func illFormed(sequence: [UInt8]) {
        for prefix in ["", "a", "é", "12345678", "1234567é"] {
            let before = [0x22] + Array(prefix.utf8)
            let expected = JSONFault(kind: .encoding, offset: before.count)
            #expect(fault(before + sequence + [0x22]) == expected)
            #expect(fault(before + sequence) == expected, "cut short")
            #expect(fault([0x7B] + before + sequence)?.kind == .encoding, "in a name")
            #expect(fault(sequence)?.kind == .encoding, "outside of a string")
            #expect(fault(Array("[oops,".utf8) + sequence)?.kind == .encoding, "after a fault")
        }
    }

    @Test("A byte order mark is refused in UTF-8 and UTF-16")
    func byteOrderMark() {
        #expect(fault([0xEF, 0xBB, 0xBF, 0x7B, 0x7D]) == JSONFault(kind: .encoding, offset: 0))
        #expect(fault([0xEF, 0xBB, 0xBF]) == JSONFault(kind: .encoding, offset: 0))
        #expect(fault([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00])?.kind == .encoding)
        #expect(fault([0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D])?.kind == .encoding)
        #expect(fault("\"\u{FEFF}\"") == nil, "inside of a string it is a character")
    }

    @Test("UTF-16 without a mark is no JSON")
    func utf16() {
        #expect(fault([0x7B, 0x00, 0x7D, 0x00])?.isWellFormed == false)
        #expect(fault([0x00, 0x7B, 0x00, 0x7D])?.isWellFormed == false)
    }

    @Test(
        "Half of a surrogate pair is found at its backslash",
        arguments: [
            (#""\uD800""#, 1), (#""\uDBFF""#, 1), (#""\uDC00""#, 1), (#""\uDFFF""#, 1),
            (#""ab\ud800cd""#, 3), (#""\uD800\n""#, 1), (#""\uDC00\uDC00""#, 1),
            (#""\uD800\u0041""#, 1),
            (#""\uD800\uD800\uDC00""#, 1), (#""\uD83D\uDE00\uDE00""#, 13), (#""\uDE00\uD83D""#, 1),
            (#"{"\uD800":1}"#, 2), (#"[1,"x","\uDC00"]"#, 8),
        ])
    func loneSurrogate(text: String, offset: Int) {
        #expect(fault(text) == JSONFault(kind: .loneSurrogate, offset: offset))
    }

    @Test("Escapes next to the surrogates are characters")
    func surrogateEdges() throws {
        #expect(try JSONValue(parsing: #""\uD7FF\uE000""#) == "\u{D7FF}\u{E000}")
        #expect(try JSONValue(parsing: #""\uD800\uDC00\uDBFF\uDFFF""#) == "\u{10000}\u{10FFFF}")
    }

    @Test("Escapes are resolved to the characters they stand for")
    func decoding() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0000\u001F\u00e9\u20AC\uD83D\uDE00 é€😀""#
        let expected = "\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}é€😀 é€😀"
        #expect(
            try JSONValue(parsing: text).stringValue.map { Array($0.utf8) } == Array(expected.utf8))
    }
}
