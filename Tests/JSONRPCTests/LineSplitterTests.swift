import JSONRPC
import Testing

@Suite("Splitting bytes into lines")
struct LineSplitterTests {
    struct Fixture: Sendable, CustomTestStringConvertible {
        let input: String
        let expected: [Received]
        var testDescription: String { input.debugDescription }
    }

    /// With a limit of 16 bytes.
    static let fixtures: [Fixture] = [
        Fixture(input: "", expected: []),
        Fixture(input: "\n\n \n\t\r\n  \r\r\n", expected: []),
        Fixture(input: "a\nb\n", expected: [.line("a"), .line("b")]),
        Fixture(input: "a\r\nb\r\n", expected: [.line("a"), .line("b")]),
        Fixture(input: "a\nb", expected: [.line("a"), .line("b")]),
        Fixture(input: "a\nb\r", expected: [.line("a"), .line("b")]),
        Fixture(input: "a\n  ", expected: [.line("a")]),
        Fixture(input: "a\rb\r\r\nc\n", expected: [.line("a\rb\r"), .line("c")]),
        Fixture(
            input: "a\u{B}\u{C}\u{2028}\u{85}b\n", expected: [.line("a\u{B}\u{C}\u{2028}\u{85}b")]),
        Fixture(input: " {\"a\": 1} \n[]\n", expected: [.line(" {\"a\": 1} "), .line("[]")]),
        Fixture(input: "0123456789abcdef\nx\n", expected: [.line("0123456789abcdef"), .line("x")]),
        Fixture(input: "0123456789abcdef\r\nx", expected: [.line("0123456789abcdef"), .line("x")]),
        Fixture(input: "0123456789abcdef", expected: [.line("0123456789abcdef")]),
        Fixture(input: "0123456789abcdef\r", expected: [.line("0123456789abcdef")]),
        Fixture(input: "0123456789abcdefg\nx\n", expected: [.tooLong, .line("x")]),
        Fixture(input: "0123456789abcdef\rg\nx\n", expected: [.tooLong, .line("x")]),
        Fixture(input: "0123456789abcdef\r\r\nx\n", expected: [.tooLong, .line("x")]),
        Fixture(input: "0123456789abcdefg\r\nx", expected: [.tooLong, .line("x")]),
        Fixture(input: "0123456789abcdefg", expected: [.tooLong]),
        Fixture(input: "0123456789abcdefg\n0123456789abcdefg\n\n", expected: [.tooLong, .tooLong]),
        Fixture(
            input: "x\n" + String(repeating: "y", count: 70) + "\n\nz\n"
                + String(repeating: "y", count: 40),
            expected: [.line("x"), .tooLong, .line("z"), .tooLong]),
        Fixture(
            input: String(repeating: " ", count: 17) + "\nx\n", expected: [.tooLong, .line("x")]),
        Fixture(input: "é😀\nü\n", expected: [.line("é😀"), .line("ü")]),
    ]

    @Test("All bytes at once give the lines", arguments: fixtures)
    func glued(fixture: Fixture) {
        #expect(Reader.read(Array(fixture.input.utf8)) == fixture.expected)
    }

    @Test("One byte at a time gives the same lines", arguments: fixtures)
    func drip(fixture: Fixture) {
        let input = Array(fixture.input.utf8)
        #expect(Reader.read(input, cutAt: Array(0..<input.count)) == fixture.expected)
    }

    @Test("Two cuts anywhere give the same lines", arguments: fixtures)
    func everySplit(fixture: Fixture) {
        let input = Array(fixture.input.utf8)
        for first in 0...input.count {
            for second in first...input.count {
                let received = Reader.read(input, cutAt: [first, second])
                #expect(received == fixture.expected, "cut at \(first) and \(second)")
            }
        }
    }

    @Test("All fixtures one after another, cut anywhere, give all their lines")
    func concatenated() {
        let whole = Self.fixtures.map { $0.input + "\n" }.joined()
        let expected = Self.fixtures.flatMap(\.expected)
        let input = Array(whole.utf8)
        for cut in 0...input.count {
            #expect(Reader.read(input, cutAt: [cut]) == expected, "cut at \(cut)")
        }
    }

    @Test("The end of input may come with the last bytes")
    func endWithBytes() {
        var reader = Reader(limitBytes: 16)
        reader.feed(Array("a\nb".utf8), atEnd: true)
        #expect(reader.received == [.line("a"), .line("b")])
        reader.feed([], atEnd: true)
        #expect(reader.received.count == 2)
    }

    @Test("An over-long line never makes the reader keep more than the limit and a CR")
    func boundedMemory() {
        for size in [1, 3, 16, 17, 18, 100] {
            var reader = Reader(limitBytes: 16)
            for _ in 0..<50 {
                reader.feed(Array(repeating: UInt8(ascii: "y"), count: size))
            }
            #expect(reader.mostKept <= 17)
            #expect(size * 50 <= 17 || reader.received.isEmpty, "told only at the end of the line")
            reader.feed(Array("\nx\n".utf8))
            #expect(reader.received == [.tooLong, .line("x")])
        }
    }

    @Test("Bytes that were looked at are not looked at again")
    func noRescan() {
        var splitter = LineSplitter(limitBytes: 16)
        var bytes = Array("abc".utf8)
        let first = splitter.next(in: bytes.span, atEnd: false)
        #expect(first == .needMore)
        // A reader that starts over would find this LF.
        bytes = Array("a\ncd\n".utf8)
        let second = splitter.next(in: bytes.span, atEnd: false)
        #expect(second == .line(0..<4, consumed: 5))
    }

    @Test("A started line is told from silence")
    func insideLine() {
        var splitter = LineSplitter(limitBytes: 4)
        #expect(!splitter.isInsideLine(remaining: 0))
        #expect(splitter.isInsideLine(remaining: 1))
        let long = Array("abcdefg".utf8)
        let step = splitter.next(in: long.span, atEnd: false)
        #expect(step == .skip(consumed: 7))
        #expect(splitter.isInsideLine(remaining: 0), "the rest of an over-long line is owed")
        let end = splitter.next(in: Array("h\n".utf8).span, atEnd: false)
        #expect(end == .tooLong(consumed: 2))
        #expect(!splitter.isInsideLine(remaining: 0))
    }

    @Test("A line of the default limit is found in one piece and in pages")
    func large() {
        let line = String(repeating: "z", count: 65_536)
        let input = Array((line + "\n" + line + "z\n" + line).utf8)
        let expected: [Received] = [.line(line), .tooLong, .line(line)]
        #expect(Reader.read(input, limitBytes: 65_536) == expected)
        let pages = Array(stride(from: 0, to: input.count, by: 4096))
        #expect(Reader.read(input, cutAt: pages, limitBytes: 65_536) == expected)
    }
}
