/// A country as two capital letters (ISO 3166-1 alpha-2): the stable part of a storefront.
public struct CountryCode: Sendable, Hashable {
    /// The first letter in ASCII.
    public let first: UInt8
    /// The second letter in ASCII.
    public let second: UInt8

    /// Reads two capital letters; nil for anything else. It does not check that the country exists.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        self.init(utf8: bytes.span)
    }

    /// Reads two capital letters, as ``init(_:)`` does.
    public init?(utf8 text: Span<UInt8>) {
        let letters: ClosedRange<UInt8> = 0x41...0x5A
        guard text.count == 2, letters.contains(text[0]), letters.contains(text[1]) else {
            return nil
        }
        first = text[0]
        second = text[1]
    }

    /// Wraps two letters that were checked before.
    init(first: UInt8, second: UInt8) {
        self.first = first
        self.second = second
    }

    /// Appends the two letters.
    public func append(to bytes: inout [UInt8]) {
        bytes.append(first)
        bytes.append(second)
    }
}

extension CountryCode: CustomStringConvertible {
    /// The two letters.
    public var description: String { String(decoding: [first, second], as: UTF8.self) }
}
