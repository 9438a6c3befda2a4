/// A search text, prepared for comparison with many other texts.
package struct SearchText: Sendable, Hashable {
    /// The text without white space at its ends.
    package let string: String
    private let bytes: [UInt8]
    /// The first bits of an identifier; nil if no identifier can begin with the text.
    private let bits: UniqueID?
    private let mask: UniqueID

    /// The minimum number of hexadecimal digits: fewer digits match too many identifiers.
    private static let fewestDigits = 4

    /// Prepares text; nil if it is empty or white space only.
    package init?(_ text: String) {
        var trimmed = Substring(text)
        while trimmed.first?.isWhitespace == true { trimmed.removeFirst() }
        while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
        guard !trimmed.isEmpty else { return nil }
        string = String(trimmed)
        bytes = string.utf8.map { $0.lowercased }
        let digits = string.compactMap { $0 == "-" ? nil : $0.hexDigitValue.map(UInt64.init) }
        let isPrefix = string.allSatisfy { $0 == "-" || ($0.isASCII && $0.isHexDigit) }
        var (bits, mask) = (UniqueID(high: 0, low: 0), UniqueID(high: 0, low: 0))
        if isPrefix, (Self.fewestDigits...32).contains(digits.count) {
            for (index, digit) in digits.enumerated() {
                let shift = UInt64(60 - 4 * (index % 16))
                if index < 16 {
                    bits.high |= digit << shift
                    mask.high |= 15 << shift
                } else {
                    bits.low |= digit << shift
                    mask.low |= 15 << shift
                }
            }
            self.bits = bits
        } else {
            self.bits = nil
        }
        self.mask = mask
    }

    /// Whether an identifier begins with the text.
    package func begins(_ id: UniqueID) -> Bool {
        guard let bits else { return false }
        return id.high & mask.high == bits.high && id.low & mask.low == bits.low
    }

    /// Whether another text contains this one, ignoring the case of ASCII letters.
    package func isPart(of text: OpaqueText) -> Bool {
        let other = text.string.utf8.span
        guard bytes.count <= other.count else { return false }
        for start in 0...other.count - bytes.count {
            var length = 0
            while length < bytes.count, other[start + length].lowercased == bytes[length] {
                length += 1
            }
            if length == bytes.count { return true }
        }
        return false
    }
}

extension UInt8 {
    /// The lower-case form of an ASCII capital letter; other bytes are unchanged.
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
