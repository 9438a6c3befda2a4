/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5, RFC 7515 section 2).
///
/// The decoder accepts only the canonical encoding: no padding, no white space, no leftover bits.
/// Otherwise one token would have several encodings, and checks for replay could be evaded.
public enum Base64URL {
    /// Encodes bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        append(Array(bytes).span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The length of the encoding of a number of bytes, in characters.
    static func length(of count: Int) -> Int { (count * 4 + 2) / 3 }

    /// Appends the encoding of bytes. Three bytes are encoded at a time: a history has megabytes.
    static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
        var place = text.count
        text.append(contentsOf: repeatElement(0, count: length(of: bytes.count)))
        let alphabet = Self.alphabet
        var characters = text.mutableSpan
        let ending = bytes.count - bytes.count % 3
        for first in stride(from: 0, to: ending, by: 3) {
            let (high, middle, low) = (bytes[first], bytes[first + 1], bytes[first + 2])
            let bits = UInt32(high) << 16 | UInt32(middle) << 8 | UInt32(low)
            characters[place] = alphabet[Int(bits >> 18)]
            characters[place + 1] = alphabet[Int(bits >> 12 & 63)]
            characters[place + 2] = alphabet[Int(bits >> 6 & 63)]
            characters[place + 3] = alphabet[Int(bits & 63)]
            place += 4
        }
        switch bytes.count - ending {
        case 1:
            characters[place] = alphabet[Int(bytes[ending] >> 2)]
            characters[place + 1] = alphabet[Int(bytes[ending] << 4 & 63)]
        case 2:
            let bits = UInt32(bytes[ending]) << 8 | UInt32(bytes[ending + 1])
            characters[place] = alphabet[Int(bits >> 10)]
            characters[place + 1] = alphabet[Int(bits >> 4 & 63)]
            characters[place + 2] = alphabet[Int(bits << 2 & 63)]
        default: break
        }
    }

    /// Decodes a canonical encoding; nil for anything else.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // Six leftover bits are a superfluous character; fewer must be zeros.
        guard count < 6, bits & ((1 << UInt32(count)) - 1) == 0 else { return nil }
        return bytes
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
