internal import PaymentCore
internal import StrictJSON

/// A piece of JSON that is put together on the stack and handed to the batch at once.
///
/// A journal line has some forty small pieces, and growing an array costs more than copying what
/// most of them are. Every appending method traps when the piece outgrows its room, which the
/// fixed shape of lines excludes; strings, whose length is not fixed, flush before that.
struct StackText {
    private static let capacity = 768
    /// Left free by strings, for the fixed pieces between two of them.
    private static let fixedRoom = 320

    private var storage = InlineArray<768, UInt8>(repeating: 0)
    private var count = 0

    /// Appends a text that is JSON, or a piece of it, already.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        let source = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        copy(source)
    }

    /// Appends a short word without characters that need escapes.
    mutating func word(_ word: String) {
        for byte in word.utf8 {
            precondition(LineFormat.isLetter(byte), "'\(word)' cannot be the type of a line")
            self.byte(byte)
        }
    }

    /// Appends one byte.
    mutating func byte(_ byte: UInt8) {
        precondition(count < Self.capacity, "a piece of a journal line outgrew its room")
        storage[count] = byte
        count += 1
    }

    /// Appends a number in decimal digits.
    mutating func decimal(_ number: UInt64) {
        guard number >= 10 else {
            return byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        digits.span.withUnsafeBytes { copy(UnsafeRawBufferPointer(rebasing: $0[first...])) }
    }

    /// Appends a number; one that `jq` would round is written as a string.
    mutating func large(_ number: UInt64) {
        guard number >= LineFormat.sequenceLimit else { return decimal(number) }
        byte(UInt8(ascii: "\""))
        decimal(number)
        byte(UInt8(ascii: "\""))
    }

    /// Appends an identifier in quotation marks.
    mutating func identifier(_ identifier: UniqueID) {
        identifier.quoted.span.withUnsafeBytes { copy($0) }
    }

    /// Appends a moment in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        time.quoted.span.withUnsafeBytes { copy($0) }
    }

    /// Appends a country in quotation marks.
    mutating func country(_ country: CountryCode) {
        byte(UInt8(ascii: "\""))
        byte(country.first)
        byte(country.second)
        byte(UInt8(ascii: "\""))
    }

    /// Appends a string in quotation marks, escaped as far as JSON demands it.
    mutating func string(_ text: String, into writer: inout JSONWriter) {
        var text = text
        let isDone = text.withUTF8 { utf8 in
            guard utf8.count + 2 + Self.fixedRoom + count <= Self.capacity,
                Self.isPlain(UnsafeRawBufferPointer(utf8))
            else { return false }
            byte(UInt8(ascii: "\""))
            copy(UnsafeRawBufferPointer(utf8))
            byte(UInt8(ascii: "\""))
            return true
        }
        guard !isDone else { return }
        flush(into: &writer)
        writer.string(text)
    }

    /// Hands over what was put together.
    mutating func flush(into writer: inout JSONWriter) {
        writer.raw(storage.span.extracting(first: count))
        count = 0
    }

    @inline(__always)
    private mutating func copy(_ source: UnsafeRawBufferPointer) {
        precondition(
            count + source.count <= Self.capacity, "a piece of a journal line outgrew its room")
        guard let from = source.baseAddress else { return }
        let start = count
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.baseAddress?.advanced(by: start).copyMemory(from: from, byteCount: source.count)
        }
        count += source.count
    }

    /// Whether JSON takes the bytes as they are: no control byte, quotation mark or backslash.
    private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        while position &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quotes = word ^ 0x2222_2222_2222_2222
            let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
            let special =
                (word &- 0x2020_2020_2020_2020) & ~word | (quotes &- Self.ones) & ~quotes
                | (slashes &- Self.ones) & ~slashes
            guard special & 0x8080_8080_8080_8080 == 0 else { return false }
            position &+= 8
        }
        while position < bytes.count {
            let byte = bytes[position]
            guard byte >= 0x20, byte != 0x22, byte != 0x5C else { return false }
            position &+= 1
        }
        return true
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
}
