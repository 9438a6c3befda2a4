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

    /// Appends one byte.
    mutating func byte(_ byte: UInt8) {
        precondition(count < Self.capacity, "a piece of a journal line outgrew its room")
        storage[count] = byte
        count += 1
    }

    /// Appends a number in decimal digits.
    mutating func decimal(_ number: UInt64) {
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
        byte(UInt8(ascii: "\""))
        hex(UInt32(truncatingIfNeeded: identifier.high >> 32), digits: 0..<8)
        byte(UInt8(ascii: "-"))
        hex(UInt32(truncatingIfNeeded: identifier.high), digits: 0..<4)
        byte(UInt8(ascii: "-"))
        hex(UInt32(truncatingIfNeeded: identifier.high), digits: 4..<8)
        byte(UInt8(ascii: "-"))
        hex(UInt32(truncatingIfNeeded: identifier.low >> 32), digits: 0..<4)
        byte(UInt8(ascii: "-"))
        hex(UInt32(truncatingIfNeeded: identifier.low >> 32), digits: 4..<8)
        hex(UInt32(truncatingIfNeeded: identifier.low), digits: 0..<8)
        byte(UInt8(ascii: "\""))
    }

    /// Appends a moment in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, Self.firstMoment), Self.lastMoment)
        let shifted = milliseconds - Self.firstMoment
        let days = shifted / 86_400_000
        let inDay = Int(shifted - days * 86_400_000)
        let date = CivilDate(daysSince1970: Int(days + Self.firstMoment / 86_400_000))
        byte(UInt8(ascii: "\""))
        pair(date.year / 100)
        pair(date.year % 100, then: "-")
        pair(date.month, then: "-")
        pair(date.day, then: "T")
        pair(inDay / 3_600_000, then: ":")
        pair(inDay / 60_000 % 60, then: ":")
        pair(inDay / 1000 % 60, then: ".")
        pair(inDay % 1000 / 10)
        byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: inDay % 10))
        byte(UInt8(ascii: "Z"))
        byte(UInt8(ascii: "\""))
    }

    /// Appends a country in quotation marks.
    mutating func country(_ country: CountryCode) {
        byte(UInt8(ascii: "\""))
        var text = country.description
        text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
        byte(UInt8(ascii: "\""))
    }

    /// Appends a string in quotation marks, escaped as far as JSON demands it.
    mutating func string(_ text: String, into writer: inout JSONWriter) {
        var text = text
        let isDone = text.withUTF8 { utf8 in
            guard utf8.count + 2 + Self.fixedRoom + count <= Self.capacity,
                utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C })
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

    /// Some of the eight hexadecimal digits of a number, all of which are made at once: every
    /// byte of a word takes one digit.
    private mutating func hex(_ number: UInt32, digits: Range<Int>) {
        var word = UInt64(number)
        word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = (word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        word = (word &+ 0x3030_3030_3030_3030 &+ isLetter &* 39).bigEndian
        withUnsafeBytes(of: word) { copy(UnsafeRawBufferPointer(rebasing: $0[digits])) }
    }

    /// Appends two digits and what follows them.
    @inline(__always)
    private mutating func pair(_ value: Int, then end: Unicode.Scalar) {
        pair(value)
        byte(UInt8(ascii: end))
    }

    /// Appends two digits.
    @inline(__always)
    private mutating func pair(_ value: Int) {
        let tens = value / 10
        byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: tens))
        byte(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value - 10 * tens))
    }

    /// The first and the last moment that a year of four digits can tell.
    private static let firstMoment = Int64(-719_528) * 86_400_000
    private static let lastMoment = Int64(2_932_897) * 86_400_000 - 1
}
