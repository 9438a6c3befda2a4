/// A permanent 128-bit identifier, written as a lower-case UUID (RFC 9562 text form).
///
/// The caller supplies the bits (`DecisionContext`); this type never draws random numbers.
public struct UniqueID: Sendable, Hashable {
    /// The first eight bytes.
    public var high: UInt64
    /// The last eight bytes.
    public var low: UInt64

    /// Wraps the bits unchanged.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates a version 4 UUID from 128 random bits; version and variant overwrite six of them.
    public init(randomHigh: UInt64, randomLow: UInt64) {
        high = randomHigh & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = randomLow & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    }

    /// Orders by the bits, for stable listings.
    public static func precedes(_ left: UniqueID, _ right: UniqueID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// The text form in quotation marks, as in JSON.
    public var quoted: InlineArray<38, UInt8> {
        var text = InlineArray<38, UInt8>(repeating: UInt8(ascii: "-"))
        let middle = UInt32(truncatingIfNeeded: high).hexDigits
        let third = UInt32(truncatingIfNeeded: low >> 32).hexDigits
        text[0] = UInt8(ascii: "\"")
        text.put(UInt32(truncatingIfNeeded: high >> 32).hexDigits, count: 8, at: 1)
        text.put(middle, count: 4, at: 10)
        text.put(middle >> 32, count: 4, at: 15)
        text.put(third, count: 4, at: 20)
        text.put(third >> 32, count: 4, at: 25)
        text.put(UInt32(truncatingIfNeeded: low).hexDigits, count: 8, at: 29)
        text[37] = UInt8(ascii: "\"")
        return text
    }

    /// Reads the 36-byte lower-case text form; nil for anything else. Upper case is refused,
    /// because clients compare identifiers byte by byte.
    public init?(utf8 text: Span<UInt8>) {
        // SAFETY: all bytes of the text are initialized.
        self.init(utf8: unsafe text.bytes)
    }

    /// Reads the text form, as ``init(utf8:)`` does.
    public init?(utf8 text: RawSpan) {
        guard text.byteCount == 36,
            text.half(at: 8) & 0xFF == Self.hyphen, text.half(at: 13) & 0xFF == Self.hyphen,
            text.half(at: 18) & 0xFF == Self.hyphen, text.half(at: 23) & 0xFF == Self.hyphen,
            let first = UInt32(hexDigits: text.word(at: 0)),
            let second = UInt32(hexDigits: text.half(at: 9) | text.half(at: 14) << 32),
            let third = UInt32(hexDigits: text.half(at: 19) | text.half(at: 24) << 32),
            let fourth = UInt32(hexDigits: text.word(at: 28))
        else { return nil }
        self.init(
            high: UInt64(first) << 32 | UInt64(second), low: UInt64(third) << 32 | UInt64(fourth))
    }

    private static let hyphen = UInt64(UInt8(ascii: "-"))

    /// Reads the text form; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        self.init(utf8: bytes.span)
    }
}

extension UniqueID: CustomStringConvertible {
    /// The text form.
    public var description: String { quoted.textBetweenQuotes }
}

extension UInt32 {
    /// The eight lower-case hexadecimal digits in memory order: the first digit is in the lowest
    /// byte. All digits are computed at once, one in each byte of a word.
    package var hexDigits: UInt64 {
        var word = UInt64(self)
        word = (word | word << 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word << 8) & 0x00FF_00FF_00FF_00FF
        word = (word | word << 4) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (word &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (word &+ 0x3030_3030_3030_3030 &+ isLetter &* 39).byteSwapped
    }

    /// Reads what ``hexDigits`` writes; nil if a byte is no lower-case hexadecimal digit.
    package init?(hexDigits word: UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        // A sum has the highest bit of its byte exactly if the byte, which has it not, reaches a bound.
        let isDigit = (word &+ ones &* (0x80 - 0x30)) & ~(word &+ ones &* (0x7F - 0x39))
        let isLetter = (word &+ ones &* (0x80 - 0x61)) & ~(word &+ ones &* (0x7F - 0x66))
        guard word & high == 0, (isDigit | isLetter) & high == high else { return nil }
        let values = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ ((isLetter & high) >> 7) &* 9
        var digits = values.byteSwapped
        digits = (digits | digits >> 4) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits >> 8) & 0x0000_FFFF_0000_FFFF
        self.init(truncatingIfNeeded: digits | digits >> 16)
    }
}

extension InlineArray where Element == UInt8 {
    /// Writes the `count` lowest bytes of a word, beginning with the lowest.
    fileprivate mutating func put(_ word: UInt64, count: Int, at position: Int) {
        for index in 0..<count {
            self[position + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
        }
    }
}

/// An identifier of one kind of object, so that kinds cannot be confused.
public protocol TypedIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The bits of the identifier.
    var value: UniqueID { get }
    /// Wraps the bits.
    init(_ value: UniqueID)
}

extension TypedIdentifier {
    /// Reads the text form of an issued identifier; nil if the text is not a valid identifier.
    public init?(_ text: some StringProtocol) {
        guard let value = UniqueID(text) else { return nil }
        self.init(value)
    }

    /// The text form.
    public var description: String { value.description }
}

/// The identifier of a transaction of this queue; never issued twice.
public struct TransactionID: TypedIdentifier {
    /// The bits of the identifier.
    public let value: UniqueID
    /// Wraps the bits.
    public init(_ value: UniqueID) { self.value = value }
}

/// The identifier of an order at the store; on the wire the `transactionIdentifier` of a
/// transaction.
public struct OrderID: TypedIdentifier {
    /// The bits of the identifier.
    public let value: UniqueID
    /// Wraps the bits.
    public init(_ value: UniqueID) { self.value = value }
}
