extension JSONScanner {
    /// A fault of grammar at the byte under the position, or at the end of the text.
    func syntaxFault() -> JSONFault {
        JSONFault(kind: .syntax, offset: position)
    }

    /// The four bytes that RFC 8259 calls white space, and no other.
    @inline(__always)
    mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position += 1
            default:
                return
            }
        }
    }

    /// The next byte that is not white space, without passing it.
    @inline(__always)
    mutating func nextByte(_ bytes: Span<UInt8>) throws(JSONFault) -> UInt8 {
        while position < bytes.count {
            let byte = bytes[position]
            if byte > UInt8(ascii: " ") { return byte }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position += 1
            default:
                return byte
            }
        }
        throw syntaxFault()
    }

    /// Scans one of the three words.
    mutating func literal(
        _ word: StaticString, _ kind: JSONToken.Kind, _ bytes: Span<UInt8>
    ) throws(JSONFault) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            // SAFETY: `index` is below the number of bytes behind the pointer.
            let expected = unsafe word.utf8Start[index]
            guard position < bytes.count, bytes[position] == expected else { throw syntaxFault() }
            position += 1
        }
        record(JSONToken(kind: kind, start: start, end: position, next: tokens.count + 1))
    }

    /// Scans a number by the grammar of RFC 8259; its value is nobody's business here.
    mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits(bytes)
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count,
                bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            try digits(bytes)
        }
        record(JSONToken(kind: .number, start: start, end: position, next: tokens.count + 1))
    }

    /// Passes one decimal digit or more.
    @inline(__always)
    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONFault) {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        guard position > start else { throw syntaxFault() }
    }
}
