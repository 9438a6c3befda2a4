extension JSONScanner {
    /// Scans a string from its opening to past its closing quotation mark.
    @inline(__always)
    mutating func string(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        var hasEscapes = false
        position += 1
        while true {
            position = endOfPlainText(in: bytes, from: position)
            guard position < bytes.count else { throw syntaxFault() }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                record(
                    JSONToken(
                        kind: .string, start: start, end: position, next: tokens.count + 1,
                        hasEscapes: hasEscapes))
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape(bytes)
            case 0x80...:
                position = try endOfMultibyteText(in: bytes, from: position)
            default:
                throw syntaxFault()
            }
        }
    }

    /// Passes the escape under the position; half of a surrogate pair is noted.
    private mutating func escape(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        position += 1
        guard position < bytes.count else { throw syntaxFault() }
        switch bytes[position] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            try unicodeEscape(bytes, start: start)
        default:
            throw syntaxFault()
        }
    }

    private mutating func unicodeEscape(_ bytes: Span<UInt8>, start: Int) throws(JSONFault) {
        switch try fourHexDigits(bytes) {
        case 0xDC00...0xDFFF:
            note(.loneSurrogate, at: start)
        case 0xD800...0xDBFF:
            // The second half is read as an escape of its own unless it completes the pair, so
            // that a fault of grammar in it is found where it stands.
            let second = position
            guard second + 1 < bytes.count, bytes[second] == UInt8(ascii: "\\"),
                bytes[second + 1] == UInt8(ascii: "u")
            else {
                note(.loneSurrogate, at: start)
                return
            }
            position += 2
            guard 0xDC00...0xDFFF ~= (try fourHexDigits(bytes)) else {
                note(.loneSurrogate, at: start)
                position = second
                return
            }
        default:
            break
        }
    }

    private mutating func fourHexDigits(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < bytes.count, let digit = hexDigit(bytes[position]) else {
                throw syntaxFault()
            }
            unit = unit << 4 | digit
            position += 1
        }
        return unit
    }
}

/// The value of a hexadecimal digit in either case.
@inline(__always)
func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
