/// The UTF-8 bytes of a string token, with escapes decoded.
///
/// A lone surrogate becomes the three bytes of its number, so that it equals only itself. It occurs
/// only in texts that are refused because of it.
func decodedText(_ token: JSONToken, in bytes: Span<UInt8>) -> [UInt8] {
    let range = token.contentRange
    var decoded: [UInt8] = []
    decoded.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
        let byte = bytes[position]
        if byte == UInt8(ascii: "\\") {
            appendEscape(at: &position, in: bytes, to: &decoded)
        } else {
            decoded.append(byte)
            position += 1
        }
    }
    return decoded
}

private func appendEscape(
    at position: inout Int, in bytes: Span<UInt8>, to decoded: inout [UInt8]
) {
    let letter = bytes[position + 1]
    guard letter == UInt8(ascii: "u") else {
        position += 2
        decoded.append(controlCharacter(letter))
        return
    }
    var scalar = codeUnit(at: position + 2, in: bytes)
    position += 6
    if 0xD800...0xDBFF ~= scalar, position + 5 < bytes.count,
        bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    {
        let second = codeUnit(at: position + 2, in: bytes)
        if 0xDC00...0xDFFF ~= second {
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (second - 0xDC00)
            position += 6
        }
    }
    appendUTF8(scalar, to: &decoded)
}

/// Appends a number up to 0x10FFFF in UTF-8 encoding.
private func appendUTF8(_ scalar: UInt32, to decoded: inout [UInt8]) {
    let continuation = { (shift: UInt32) in
        UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F))
    }
    switch scalar {
    case ..<0x80:
        decoded.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
        decoded.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
        decoded.append(continuation(0))
    case ..<0x10000:
        decoded.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
        decoded.append(continuation(6))
        decoded.append(continuation(0))
    default:
        decoded.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
        decoded.append(continuation(12))
        decoded.append(continuation(6))
        decoded.append(continuation(0))
    }
}

/// Decodes four hexadecimal digits of a scanned escape.
private func codeUnit(at position: Int, in bytes: Span<UInt8>) -> UInt32 {
    var unit: UInt32 = 0
    for offset in position..<position + 4 {
        unit = unit << 4 | (hexDigit(bytes[offset]) ?? 0)
    }
    return unit
}

/// The character of a one-letter escape.
private func controlCharacter(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
}
