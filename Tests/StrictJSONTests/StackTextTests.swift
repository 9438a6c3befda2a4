import StrictJSON
import Testing

/// Text that is put together on the stack is what a writer would have appended, however long it gets.
@Suite("Text on the stack")
struct StackTextTests {
    private static let strings = [
        "", "a", "12345678", "plain text of some words", "a \"quoted\" word", "back\\slash",
        "tab\tand\u{1}",
        "Grüße 日本 🎉", String(repeating: "x", count: 200), String(repeating: "y", count: 765),
        String(repeating: "z", count: 766), String(repeating: "w", count: 767),
        String(repeating: "é", count: 5000),
        String(repeating: "\n", count: 900),
    ]

    @Test("Strings of every length and kind follow one another", arguments: 0..<40)
    func strings(seed: Int) {
        var (onStack, appended) = (JSONWriter(), JSONWriter())
        onStack.raw("[")
        appended.raw("[")
        onStack.onStack { text in
            for step in 0..<30 {
                let string = Self.strings[(seed * 7 + step * step + step) % Self.strings.count]
                text.string(string)
                text.literal(",\"number\":")
                text.decimal(UInt64(step) << UInt64(seed))
                text.byte(UInt8(ascii: " "))
            }
        }
        for step in 0..<30 {
            appended.string(Self.strings[(seed * 7 + step * step + step) % Self.strings.count])
            appended.raw(",\"number\":")
            appended.integer(UInt64(step) << UInt64(seed))
            appended.raw(" ")
        }
        #expect(onStack.bytes == appended.bytes)
    }

    @Test("Bytes longer than the room on the stack stay in their place")
    func longBytes() {
        let long = [UInt8](repeating: UInt8(ascii: "1"), count: 2000)
        var writer = JSONWriter()
        writer.onStack { text in
            text.literal("[")
            text.raw(long.span)
            for _ in 0..<1600 { text.byte(UInt8(ascii: "2")) }
            text.decimal(.max)
            text.decimal(0)
            text.literal("]")
        }
        let numbers = String(repeating: "1", count: 2000) + String(repeating: "2", count: 1600)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == "[\(numbers)184467440737095516150]")
    }
}
