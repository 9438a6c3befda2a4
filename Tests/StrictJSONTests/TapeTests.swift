import StrictJSON
import Testing

@Suite("Reading a tape")
struct TapeTests {
    private let text = #" {"a":[1,{"b":[]},"x\ty"], "\u0063":{"d":null},"e":true} "#

    @Test("Tokens stand in the order of the text and know where they end")
    func layout() throws {
        let scanned = try Scanned(text)
        let kinds: [JSONToken.Kind] = [
            .object, .string, .array, .number, .object, .string, .array, .string, .string, .object,
            .string, .null, .string, .true,
        ]
        #expect(scanned.tape.tokens.map(\.kind) == kinds)
        #expect(
            scanned.tape.tokens.map(\.next) == [14, 2, 8, 4, 7, 6, 7, 8, 9, 12, 11, 12, 13, 14])
        #expect(scanned.tape.tokens.map(\.count) == [3, 0, 3, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0])
        #expect(scanned.tape.tokens.map(\.hasEscapes).filter { $0 }.count == 2)
        #expect(scanned.written(2) == #"[1,{"b":[]},"x\ty"]"#)
        #expect(scanned.written(7) == #""x\ty""#)
        #expect(scanned.written(0) == String(text.dropFirst().dropLast()))
    }

    @Test("A member is found by its decoded name")
    func members() throws {
        let scanned = try Scanned(text)
        #expect(scanned.member("a", of: 0) == 2)
        #expect(scanned.member("c", of: 0) == 9)
        #expect(scanned.member("e", of: 0) == 13)
        #expect(scanned.member("b", of: 0) == nil)
        #expect(scanned.member("d", of: 9) == 11)
        #expect(scanned.member("a", of: 2) == nil)
    }

    @Test("A string matches exactly the text it stands for")
    func matches() throws {
        let scanned = try Scanned(#"["abc","\u0061bc","abcd","ab","","a\/c",1]"#)
        let found = (1...7).map { scanned.matches($0, "abc") }
        #expect(found == [true, true, false, false, false, false, false])
        #expect(scanned.matches(5, ""))
        #expect(scanned.matches(6, "a/c"))
        #expect(!scanned.matches(7, "1"))
    }

    @Test(
        "A plain integer is read to the edges of its type",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("92233720368547758070", nil), ("1.0", nil),
            ("1e2", nil), ("-1E0", nil), ("\"1\"", nil), ("true", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func integers(text: String, expected: Int64?) throws {
        let scanned = try Scanned(text)
        #expect(scanned.integer(0) == expected)
        #expect(scanned.value(0).intValue == expected)
    }

    @Test("Text is read with its escapes resolved, as text and as bytes")
    func texts() throws {
        let scanned = try Scanned(text)
        #expect(scanned.text(7) == "x\ty")
        #expect(scanned.text(8) == "c")
        #expect(scanned.text(1) == "a")
        #expect(scanned.textBytes(7) == Array("x\ty".utf8))
        #expect(scanned.textBytes(1) == Array("a".utf8))
    }

    @Test("A part of the text is read as a tree of its own")
    func subtree() throws {
        let scanned = try Scanned(text)
        #expect(scanned.value(2) == [1, ["b": []], "x\ty"])
        #expect(scanned.value(9) == ["d": nil])
    }

    @Test("A tape forgets the text before, also after a fault")
    func reuse() throws {
        var tape = try Scanned(text).tape
        #expect(Scanned.rescan(&tape, "[1,2") != nil)
        #expect(tape.tokens.isEmpty)
        #expect(Scanned.rescan(&tape, "[1]") == nil)
        #expect(tape.tokens.count == 2)
    }
}
