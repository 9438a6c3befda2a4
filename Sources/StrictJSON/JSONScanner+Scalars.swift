extension JSONScanner {
    /// A syntax fault at an offset, which may be the end of the text.
    func syntaxFault(_ position: Int) -> JSONFault {
        JSONFault(kind: .syntax, offset: position)
    }

    /// Skips white space, which in RFC 8259 is exactly four bytes.
    @inline(__always)
    func endOfWhitespace(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position &+= 1
            default:
                return position
            }
        }
        return position
    }

    /// Finds the next byte that is not white space.
    ///
    /// - Returns: An offset within the text.
    /// - Throws: `.syntax` at the end of the text.
    @inline(__always)
    func nextVisible(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
        if start < bytes.count, bytes[start] > UInt8(ascii: " ") { return start }
        let position = endOfWhitespace(bytes, start)
        guard position < bytes.count else { throw syntaxFault(position) }
        return position
    }

    /// Scans a number or a literal.
    ///
    /// - Returns: The offset after it.
    /// - Throws: `.syntax` if it is neither.
    @inline(__always)
    mutating func scalar(
        _ bytes: Span<UInt8>, _ start: Int, _ tokens: inout Tokens
    ) throws(JSONFault) -> Int {
        let kind: JSONToken.Kind
        let end: Int
        switch bytes[start] {
        case UInt8(ascii: "t"):
            kind = .true
            end = try endOfWord("true", bytes, start)
        case UInt8(ascii: "f"):
            kind = .false
            end = try endOfWord("false", bytes, start)
        case UInt8(ascii: "n"):
            kind = .null
            end = try endOfWord("null", bytes, start)
        default:
            kind = .number
            end = try endOfNumber(bytes, start)
        }
        record(JSONToken(kind: kind, start: start, end: end, next: tokens.count + 1), &tokens)
        return end
    }

    private func endOfWord(
        _ word: StaticString, _ bytes: Span<UInt8>, _ start: Int
    ) throws(JSONFault) -> Int {
        for index in 0..<word.utf8CodeUnitCount {
            // SAFETY: `index` is below the number of bytes behind the pointer.
            let expected = unsafe word.utf8Start[index]
            guard start + index < bytes.count, bytes[start + index] == expected else {
                throw syntaxFault(start + index)
            }
        }
        return start + word.utf8CodeUnitCount
    }
}

/// Scans a number by the grammar of RFC 8259, without computing its value.
///
/// - Returns: The offset after its last digit.
/// - Throws: `.syntax` at the first byte that does not fit.
func endOfNumber(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
    var position = start
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
    if position < bytes.count, bytes[position] == UInt8(ascii: "0") {
        position += 1
    } else {
        position = try endOfDigits(bytes, position)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
        position = try endOfDigits(bytes, position + 1)
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
        position += 1
        if position < bytes.count,
            bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
        {
            position += 1
        }
        position = try endOfDigits(bytes, position)
    }
    return position
}

/// Scans one or more decimal digits.
@inline(__always)
private func endOfDigits(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
    var position = start
    while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position &+= 1 }
    guard position > start else { throw JSONFault(kind: .syntax, offset: position) }
    return position
}
