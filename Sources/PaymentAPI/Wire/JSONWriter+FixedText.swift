public import PaymentCore
public import StrictJSON

/// Strings of fixed length, which occur in every line. They are built in place and appended as a
/// whole, because appending bytewise costs more than the rest of a reply.
extension JSONWriter {
    /// Appends an identifier as a string.
    public mutating func identifier(_ id: some TypedIdentifier) {
        let value = id.value
        var text = InlineArray<38, UInt8>(repeating: UInt8(ascii: "-"))
        text[0] = UInt8(ascii: "\"")
        text[37] = UInt8(ascii: "\"")
        Self.hex(value.high >> 32, digits: 8, at: 1, &text)
        Self.hex(value.high >> 16, digits: 4, at: 10, &text)
        Self.hex(value.high, digits: 4, at: 15, &text)
        Self.hex(value.low >> 48, digits: 4, at: 20, &text)
        Self.hex(value.low, digits: 12, at: 25, &text)
        raw(text.span)
    }

    /// Appends a time in RFC 3339: UTC, with milliseconds.
    public mutating func time(_ time: Timestamp) {
        guard Self.years1970To9999.contains(time.milliseconds) else {
            bytes.append(UInt8(ascii: "\""))
            time.append(to: &bytes)
            bytes.append(UInt8(ascii: "\""))
            return
        }
        let (days, inDay) = Int(time.milliseconds).quotientAndRemainder(dividingBy: 86_400_000)
        let date = CivilDate(daysSince1970: days)
        var text = InlineArray<26, UInt8>(repeating: UInt8(ascii: "\""))
        Self.decimal(date.year, digits: 4, at: 1, &text)
        text[5] = UInt8(ascii: "-")
        Self.decimal(date.month, digits: 2, at: 6, &text)
        text[8] = UInt8(ascii: "-")
        Self.decimal(date.day, digits: 2, at: 9, &text)
        text[11] = UInt8(ascii: "T")
        Self.decimal(inDay / 3_600_000, digits: 2, at: 12, &text)
        text[14] = UInt8(ascii: ":")
        Self.decimal(inDay / 60_000 % 60, digits: 2, at: 15, &text)
        text[17] = UInt8(ascii: ":")
        Self.decimal(inDay / 1000 % 60, digits: 2, at: 18, &text)
        text[20] = UInt8(ascii: ".")
        Self.decimal(inDay % 1000, digits: 3, at: 21, &text)
        text[24] = UInt8(ascii: "Z")
        raw(text.span)
    }

    private static let years1970To9999: Range<Int64> = 0..<253_402_300_800_000

    /// Writes the lowest hexadecimal digits of a value.
    private static func hex(
        _ value: UInt64, digits: Int, at start: Int, _ text: inout InlineArray<38, UInt8>
    ) {
        var rest = value
        for position in (start..<start + digits).reversed() {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            text[position] =
                digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        }
    }

    /// Writes the lowest decimal digits of a non-negative value.
    private static func decimal(
        _ value: Int, digits: Int, at start: Int, _ text: inout InlineArray<26, UInt8>
    ) {
        var rest = value
        for position in (start..<start + digits).reversed() {
            text[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
