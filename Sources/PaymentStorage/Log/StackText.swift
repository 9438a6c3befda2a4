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
        let middle = LineFormat.hexDigits(UInt32(truncatingIfNeeded: identifier.high))
        let third = LineFormat.hexDigits(UInt32(truncatingIfNeeded: identifier.low >> 32))
        byte(UInt8(ascii: "\""))
        put(LineFormat.hexDigits(UInt32(truncatingIfNeeded: identifier.high >> 32)))
        byte(UInt8(ascii: "-"))
        put(UInt32(truncatingIfNeeded: middle))
        byte(UInt8(ascii: "-"))
        put(UInt32(truncatingIfNeeded: middle >> 32))
        byte(UInt8(ascii: "-"))
        put(UInt32(truncatingIfNeeded: third))
        byte(UInt8(ascii: "-"))
        put(UInt32(truncatingIfNeeded: third >> 32))
        put(LineFormat.hexDigits(UInt32(truncatingIfNeeded: identifier.low)))
        byte(UInt8(ascii: "\""))
    }

    /// Appends a moment in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, Self.firstMoment), Self.lastMoment)
        let shifted = milliseconds - Self.firstMoment
        let days = shifted / 86_400_000
        let inDay = Int(shifted - days * 86_400_000)
        let date = CivilDate(daysSince1970: Int(days + Self.firstMoment / 86_400_000))
        let minute = Self.pair(inDay / 60_000 % 60)
        // Every line has two of these: they are put together in three words and not in 26 bytes.
        put(
            Self.quote | Self.pair(date.year / 100) << 8 | Self.pair(date.year % 100) << 24
                | Self.dash << 40 | Self.pair(date.month) << 48)
        put(
            Self.dash | Self.pair(date.day) << 8 | 0x54 << 24
                | Self.pair(inDay / 3_600_000) << 32 | Self.colon << 48 | minute << 56)
        put(
            minute >> 8 | Self.colon << 8 | Self.pair(inDay / 1000 % 60) << 16 | 0x2E << 32
                | Self.pair(inDay % 1000 / 10) << 40 | UInt64(0x30 + inDay % 10) << 56)
        put(UInt16(0x225A))
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

    /// Appends the bytes of a number, the lowest first.
    @inline(__always)
    private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
        let width = Number.bitWidth / 8
        precondition(count + width <= Self.capacity, "a piece of a journal line outgrew its room")
        let start = count
        withUnsafeMutableBytes(of: &storage) {
            $0.storeBytes(of: number.littleEndian, toByteOffset: start, as: Number.self)
        }
        count += width
    }

    /// The two digits of a number below 100, the first in the lower byte.
    @inline(__always)
    private static func pair(_ value: Int) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: value)
        let tens = (number &* 103) >> 10
        return 0x3030 &+ tens &+ (number &- 10 &* tens) << 8
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
    private static let quote: UInt64 = 0x22
    private static let dash: UInt64 = 0x2D
    private static let colon: UInt64 = 0x3A
    private static let firstMoment = Int64(-719_528) * 86_400_000
    private static let lastMoment = Int64(2_932_897) * 86_400_000 - 1
}
