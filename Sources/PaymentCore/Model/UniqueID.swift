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

    /// Appends the 36 bytes of the text form.
    public func append(to bytes: inout [UInt8]) {
        Self.append(high, groups: [8, 4, 4], to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(low, groups: [4, 12], to: &bytes)
    }

    /// Reads the 36-byte lower-case text form; nil for anything else. Upper case is refused because
    /// identifiers are compared byte by byte.
    public init?(text: some Sequence<UInt8>) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var position = 0
        for byte in text {
            switch position {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            case 0..<36:
                guard let digit = Self.digit(byte) else { return nil }
                if position < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
            default:
                return nil
            }
            position += 1
        }
        guard position == 36 else { return nil }
        self.init(high: high, low: low)
    }

    private static func append(_ value: UInt64, groups: [Int], to bytes: inout [UInt8]) {
        var shift: UInt64 = 64
        for (index, width) in groups.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "-")) }
            for _ in 0..<width {
                shift -= 4
                let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
                bytes.append(
                    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}

extension UniqueID: CustomStringConvertible {
    /// The text form.
    public var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
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
        guard let value = UniqueID(text: text.utf8) else { return nil }
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
