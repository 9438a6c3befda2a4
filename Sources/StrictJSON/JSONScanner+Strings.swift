extension JSONScanner {
    /// Scans a string, from its opening quotation mark to the offset after the closing one.
    @inline(__always)
    mutating func string(
        _ bytes: Span<UInt8>, _ start: Int, _ tokens: inout Tokens
    ) throws(JSONFault) -> Int {
        var position = endOfPlainText(in: bytes, from: start + 1)
        var hasEscapes = false
        if position >= bytes.count || bytes[position] != UInt8(ascii: "\"") {
            (position, hasEscapes) = try endOfSpecialText(bytes, position)
        }
        record(
            JSONToken(
                kind: .string, start: start, end: position + 1, next: tokens.count + 1,
                hasEscapes: hasEscapes),
            &tokens)
        return position + 1
    }

    /// Finds the closing quotation mark and the presence of escapes. It begins at the first byte
    /// that is not plain ASCII.
    private mutating func endOfSpecialText(
        _ bytes: Span<UInt8>, _ start: Int
    ) throws(JSONFault) -> (Int, Bool) {
        var position = start
        var hasEscapes = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                return (position, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                position = try endOfEscape(bytes, position)
            case 0x80...:
                position = try endOfMultibyteText(in: bytes, from: position)
            case ..<0x20:
                throw syntaxFault(position)
            default:
                position = endOfPlainText(in: bytes, from: position)
            }
        }
        throw syntaxFault(position)
    }

    /// Scans the escape at an offset. A lone surrogate is noted as a fault.
    private mutating func endOfEscape(
        _ bytes: Span<UInt8>, _ start: Int
    ) throws(JSONFault) -> Int {
        guard start + 1 < bytes.count else { throw syntaxFault(start + 1) }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            return try endOfUnicodeEscape(bytes, start)
        default:
            throw syntaxFault(start + 1)
        }
    }

    private mutating func endOfUnicodeEscape(
        _ bytes: Span<UInt8>, _ start: Int
    ) throws(JSONFault) -> Int {
        let first = try fourHexDigits(bytes, start + 2)
        let end = start + 6
        guard 0xD800...0xDFFF ~= first else { return end }
        if first < 0xDC00, end + 1 < bytes.count, bytes[end] == UInt8(ascii: "\\"),
            bytes[end + 1] == UInt8(ascii: "u"),
            0xDC00...0xDFFF ~= (try fourHexDigits(bytes, end + 2))
        {
            return end + 6
        }
        // The next escape is scanned separately, because it may begin another pair.
        note(.loneSurrogate, at: start)
        return end
    }

    private func fourHexDigits(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> UInt32 {
        var unit: UInt32 = 0
        for position in start..<start + 4 {
            guard position < bytes.count, let digit = hexDigit(bytes[position]) else {
                throw syntaxFault(position)
            }
            unit = unit << 4 | digit
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
