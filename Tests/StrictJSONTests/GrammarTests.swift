import StrictJSON
import Testing

@Suite("The grammar of RFC 8259")
struct GrammarTests {
    @Test(
        "A text of the grammar is accepted",
        arguments: [
            "null", "true", "false", "0", "-0", "-1", "10", "1.5", "-0.0", "1e5", "1E5", "1e+5",
            "1e-5", "0e0", "0.1e01", "1e999999", "\"\"", "\"a\"", "[]", "{}", "[[]]", "[{}]",
            "[1]", "[1,2]", "{\"a\":1}", "{\"\":{\"\":[]}}", " \t\r\n[ 1 , 2 ]\r\n\t ",
            " { \"a\" : 1 , \"b\" : 2 } ", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0000\"",
            "\"\\uD83D\\uDE00\"", "\"\\ud83d\\ude00\"", "\"\u{7F}\"", "\"\u{2028}\u{FFFF}\"",
            "[true,false,null]",
        ])
    func accepted(text: String) {
        #expect(fault(text) == nil)
    }

    @Test(
        "A breach of the grammar is found where it is",
        arguments: [
            ("", 0), ("  ", 2), ("nul", 3), ("nulL", 3), ("True", 0), ("tru3", 3), ("NaN", 0),
            ("Infinity", 0), ("-", 1), ("+1", 0), ("01", 1), ("-01", 2), ("00", 1), ("1.", 2),
            (".5", 0), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("1ee1", 2), ("1e1.5", 3), ("--1", 1),
            ("0x1", 1), ("1_0", 1), ("1 2", 2), ("\"", 1), ("\"a", 2), ("'a'", 0), ("\"\\", 2),
            ("\"\\x\"", 2), ("\"\\U0041\"", 2), ("\"\\u", 3), ("\"\\u12", 5), ("\"\\u12G4\"", 5),
            ("\"\\uD800\\u12\"", 11), ("\"\\uD800\\x\"", 8), ("\"a\nb\"", 2), ("\"\u{0}\"", 1),
            ("\"\u{1F}\"", 1), ("\"12345678\u{9}\"", 9), ("[", 1), ("]", 0), ("[1", 2), ("[1,", 3),
            ("[1,]", 3), ("[,1]", 1), ("[1,,2]", 3), ("[1 2]", 3), ("[1}", 2), ("{", 1), ("}", 0),
            ("{\"a\"", 4), ("{\"a\":", 5), ("{\"a\":}", 5), ("{\"a\" 1}", 5), ("{\"a\":1", 6),
            ("{\"a\":1,", 7), ("{\"a\":1,}", 7), ("{,}", 1), ("{1:1}", 1), ("{a:1}", 1),
            ("{\"a\":1 \"b\":2}", 7), ("{\"a\":1]", 6), ("{\"a\",1}", 4), ("[]]", 2), ("{}}", 2),
            ("[] x", 3), ("//c\n1", 0), ("[1]#", 3), ("\u{B}1", 0), ("\u{C}1", 0), ("\u{0}", 0),
            ("[\u{0}]", 1), ("1\u{0}", 1),
        ])
    func refused(text: String, offset: Int) {
        #expect(fault(text) == JSONFault(kind: .syntax, offset: offset))
    }

    @Test("Every proper beginning of a request is a syntax fault at its end")
    func truncation() {
        let text = Array(
            #"{"jsonrpc":"2.0","id":[1.5e3,-7],"x":"aé\u00e9😀\\","y":[true,false,null,{}]}"#.utf8)
        for length in 0..<text.count {
            let found = fault(Array(text.prefix(length)))
            #expect(found?.isWellFormed == false, "the first \(length) bytes")
        }
        #expect(fault(text) == nil)
    }

    @Test("A special byte is seen at every distance from the start of a string", arguments: 0...40)
    func alignment(distance: Int) {
        let padding = String(repeating: "x", count: distance)
        for tail in ["", "y", "yyyyyyyyyyyyyyyyy"] {
            let offset = distance + 1
            for control in UInt8(0)..<0x20 {
                let bytes = Array("\"\(padding)".utf8) + [control] + Array("\(tail)\"".utf8)
                #expect(fault(bytes) == JSONFault(kind: .syntax, offset: offset))
            }
            let invalid = Array("\"\(padding)".utf8) + [0xFF] + Array("\(tail)\"".utf8)
            #expect(fault(invalid) == JSONFault(kind: .encoding, offset: offset))
            #expect(fault("\"\(padding)\\q\(tail)\"")?.offset == offset + 1)
            #expect(fault("\"\(padding)\"\(tail)\"") != nil)
            #expect(fault("\"\(padding)é\(tail)\"") == nil)
            #expect(fault("\"\(padding)\u{7F}~ !#[]^\(tail)\"") == nil)
        }
    }

    @Test("A fault is shown to people by line and column")
    func lineAndColumn() {
        let text = "{\n  \"é\": 1,\n  x\n}"
        let found = fault(text)
        #expect(found?.kind == .syntax)
        let place = found?.lineAndColumn(in: Array(text.utf8))
        #expect(place?.line == 3)
        #expect(place?.column == 3)
        let second = JSONFault(kind: .syntax, offset: 8).lineAndColumn(in: Array(text.utf8))
        #expect(second.line == 2)
        #expect(second.column == 6)
    }
}
