/// Base64 with padding (RFC 4648 section 4), as etcd's JSON interface has keys and values.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each character; 64 for characters outside of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
        }
        return values
    }()

    /// Appends the encoding of bytes.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 2 < bytes.count {
            let bits =
                Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            text.append(alphabet[bits >> 18])
            text.append(alphabet[bits >> 12 & 63])
            text.append(alphabet[bits >> 6 & 63])
            text.append(alphabet[bits & 63])
            index += 3
        }
        guard index < bytes.count else { return }
        let hasTwo = index + 1 < bytes.count
        let bits = Int(bytes[index]) << 16 | (hasTwo ? Int(bytes[index + 1]) << 8 : 0)
        text.append(alphabet[bits >> 18])
        text.append(alphabet[bits >> 12 & 63])
        text.append(hasTwo ? alphabet[bits >> 6 & 63] : UInt8(ascii: "="))
        text.append(UInt8(ascii: "="))
    }

    /// Decodes text; nil if it is not Base64.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        // Copied to a local, because each access to a global costs more than the rest of a step.
        let values = Self.values
        return text.withUTF8 { characters in
            guard characters.count.isMultiple(of: 4) else { return nil }
            let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
            let count = characters.count - padding
            var isRight = true
            let bytes = [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3) {
                bytes, length in
                var bits: UInt32 = 0
                for index in 0..<count {
                    let value = values[Int(characters[index])]
                    isRight = isRight && value < 64
                    bits = bits << 6 | UInt32(value & 63)
                    guard index & 3 > 0 else { continue }
                    bytes[length] = UInt8(truncatingIfNeeded: bits >> (6 - 2 * UInt32(index & 3)))
                    length += 1
                }
            }
            return isRight ? bytes : nil
        }
    }
}
