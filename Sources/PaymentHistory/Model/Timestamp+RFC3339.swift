import PaymentCore

extension Timestamp {
    /// Parses an RFC 3339 date-time in UTC or with an offset. Fractions are truncated to
    /// milliseconds. Letters must be upper case, and leap seconds are refused.
    init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        var rest = bytes[19...]
        var fraction: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            fraction = Array(rest.dropFirst().prefix { (0x30...0x39).contains($0) })
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard let offset = Self.offsetSeconds(Array(rest)) else { return nil }
        let milliseconds = (fraction + [0x30, 0x30, 0x30]).prefix(3)
        let canonical =
            String(decoding: bytes[..<19], as: UTF8.self) + "."
            + String(decoding: milliseconds, as: UTF8.self) + "Z"
        guard let local = Timestamp(canonical) else { return nil }
        self = local.advanced(bySeconds: -offset)
    }

    /// The offset from UTC in seconds, positive to the east; nil if it is invalid.
    private static func offsetSeconds(_ text: [UInt8]) -> Int64? {
        if text == [UInt8(ascii: "Z")] { return 0 }
        guard text.count == 6, text[3] == UInt8(ascii: ":"),
            let sign: Int64 = text[0] == UInt8(ascii: "+")
                ? 1 : text[0] == UInt8(ascii: "-") ? -1 : nil,
            [1, 2, 4, 5].allSatisfy({ (0x30...0x39).contains(text[$0]) })
        else { return nil }
        let digits = [1, 2, 4, 5].map { Int64(text[$0] - 0x30) }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
