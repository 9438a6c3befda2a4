import StrictJSON
import Testing

@Suite("Limits of a text")
struct LimitTests {
    /// Alternating arrays and objects around a 1.
    private func nested(_ depth: Int, kinds: (Int) -> Bool) -> String {
        let opening = (0..<depth).map { kinds($0) ? "{\"a\":" : "[" }.joined()
        let closing = (0..<depth).reversed().map { kinds($0) ? "}" : "]" }.joined()
        return opening + "1" + closing
    }

    @Test("Depth 32 is accepted, depth 33 is not", arguments: [1, 2, 3])
    func depth(period: Int) {
        let kinds = { (level: Int) in level % period == 0 }
        #expect(fault(nested(32, kinds: kinds)) == nil)
        let found = fault(nested(33, kinds: kinds))
        #expect(found?.kind == .tooDeep)
        let opening = (0..<32).map { kinds($0) ? 5 : 1 }.reduce(0, +)
        #expect(found?.offset == opening)
    }

    @Test(
        "Beyond the limit the brackets are still matched, and a mistake is told as too deep",
        arguments: [33, 63, 64, 65, 127, 128, 129, 193, 1000])
    func deepGrammar(depth: Int) {
        let kinds = { (level: Int) in level % 3 == 0 }
        let text = nested(depth, kinds: kinds)
        #expect(fault(text)?.kind == .tooDeep)
        #expect(fault(String(text.dropLast()))?.kind == .tooDeep)
        #expect(fault(text + "]")?.kind == .tooDeep)
        let bytes = Array(text.utf8)
        let firstClosing = bytes.firstIndex { $0 == UInt8(ascii: "1") }.map { $0 + 1 } ?? 0
        for index in stride(from: firstClosing, to: bytes.count, by: max(1, depth / 40)) {
            var wrong = bytes
            wrong[index] ^= UInt8(ascii: "]") ^ UInt8(ascii: "}")
            #expect(fault(wrong)?.kind == .tooDeep)
            var tape = JSONTape(limits: JSONLimits(maximumDepth: 512, maximumTokens: 4096))
            // Within a limit that admits the depth, the very same mistake is a matter of syntax.
            guard depth <= 512 else { continue }
            #expect(
                Scanned.rescan(&tape, String(decoding: wrong, as: UTF8.self))
                    == JSONFault(kind: .syntax, offset: index))
        }
    }

    @Test("A hundred thousand opening brackets are too deep, whether or not they are closed")
    func unterminated() {
        #expect(fault(String(repeating: "[", count: 100_000))?.kind == .tooDeep)
        #expect(fault(String(repeating: "{\"\":", count: 100_000))?.kind == .tooDeep)
        #expect(fault(String(repeating: "[", count: 32))?.kind == .syntax)
    }

    @Test("What lies too deep is left out and what stands beside it is kept")
    func muted() {
        let text = #"{"x":[[[1,{"b":2,"b":3}],4],{"c":[5]}],"id":7}"#
        var tape = JSONTape(limits: JSONLimits(maximumDepth: 2, maximumTokens: 100))
        #expect(Scanned.rescan(&tape, text) == JSONFault(kind: .tooDeep, offset: 6))
        let bytes = Array(text.utf8)
        let x = tape.member("x", of: 0, in: bytes.span)
        #expect(x == 2)
        #expect(
            tape.tokens.map(\.kind) == [
                .object, .string, .array, .array, .object, .string, .number,
            ])
        #expect(tape.tokens.map(\.count) == [2, 0, 2, 0, 0, 0, 0])
        #expect(tape.tokens[3].range == 6..<27)
        #expect(tape.tokens[4].range == 28..<37)
        #expect(tape.tokens[0].range == 0..<bytes.count)
    }

    @Test("The limit of tokens is met exactly")
    func tokens() {
        let limits = JSONLimits(maximumDepth: 4, maximumTokens: 5)
        #expect(fault("[1,2,3,4]", limits: limits) == nil)
        #expect(fault(#"{"a":1,"b":2}"#, limits: limits) == nil)
        #expect(
            fault("[1,2,3,4,5]", limits: limits) == JSONFault(kind: .tooManyTokens, offset: 9))
        #expect(fault("[1,2,3,4,[]]", limits: limits)?.offset == 9)
        #expect(fault(#"{"a":1,"b":2,"c":3}"#, limits: limits)?.offset == 13)
        #expect(fault("[1,2,3,4,5,[6,{\"a\":7}]", limits: limits)?.kind == .syntax)
        #expect(fault("[1,2,3,4,5,[6,{\"a\":7}],\"\\uD800\"]", limits: limits)?.offset == 9)
    }

    @Test("4,096 tokens are accepted by default, 4,097 are not")
    func defaultTokens() {
        let elements = { (count: Int) in
            "[" + Array(repeating: "0", count: count).joined(separator: ",") + "]"
        }
        #expect(fault(elements(4095)) == nil)
        #expect(fault(elements(4096))?.kind == .tooManyTokens)
    }

    @Test("A scan beyond the limit of tokens leaves an empty tape that works again")
    func recovery() {
        var tape = JSONTape(limits: JSONLimits(maximumDepth: 4, maximumTokens: 3))
        #expect(Scanned.rescan(&tape, "[1,2,3,4]")?.kind == .tooManyTokens)
        #expect(tape.tokens.isEmpty)
        #expect(Scanned.rescan(&tape, "[1,2]") == nil)
        #expect(tape.tokens.count == 3)
    }

    @Test("Our own files may be 64 deep and as long as they like")
    func trusted() {
        let flat = "[" + Array(repeating: "[\"a,:[{\"]", count: 30_000).joined(separator: ",") + "]"
        #expect(fault(flat, limits: .trusted) == nil)
        #expect(fault(flat)?.kind == .tooManyTokens)
        #expect(fault(nested(64) { _ in false }, limits: .trusted) == nil)
        #expect(fault(nested(65) { _ in false }, limits: .trusted)?.kind == .tooDeep)
    }
}
