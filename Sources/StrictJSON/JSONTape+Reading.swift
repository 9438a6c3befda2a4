extension JSONTape {
    /// Copies the text of a string token.
    ///
    /// - Parameters:
    ///   - index: The index of a string or a name.
    ///   - bytes: The scanned bytes.
    /// - Returns: The text with escapes decoded.
    public func text(_ index: Int, in bytes: Span<UInt8>) -> String {
        let token = tokens[index]
        precondition(token.kind == .string, "only a string token has text")
        if !token.hasEscapes,
            let text = try? UTF8Span(validating: bytes.extracting(token.contentRange))
        {
            return String(copying: text)
        }
        return String(decoding: decodedText(token, in: bytes), as: UTF8.self)
    }

    /// The UTF-8 bytes of a string token, with escapes decoded.
    public func textBytes(_ index: Int, in bytes: Span<UInt8>) -> [UInt8] {
        let token = tokens[index]
        precondition(token.kind == .string, "only a string token has text")
        return decodedText(token, in: bytes)
    }

    /// Compares a string token with an ASCII literal.
    ///
    /// - Returns: True if both are equal; false also for other kinds of tokens.
    @inlinable
    public func matches(_ index: Int, _ literal: StaticString, in bytes: Span<UInt8>) -> Bool {
        // The length decides most comparisons here, without a call.
        let token = tokens[index]
        guard token.kind == .string,
            token.hasEscapes || Int(token.end) - Int(token.start) - 2 == literal.utf8CodeUnitCount
        else { return false }
        return textMatches(token, literal, bytes)
    }

    @usableFromInline
    func textMatches(
        _ token: JSONToken, _ literal: StaticString, _ bytes: Span<UInt8>
    ) -> Bool {
        if token.hasEscapes {
            return decodedText(token, in: bytes).elementsEqual(literal.description.utf8)
        }
        let count = literal.utf8CodeUnitCount
        let text = bytes.extracting(token.contentRange)
        guard text.count == count else { return false }
        // SAFETY: a byte may be read as part of any other trivial type, and both sides have `count`
        // bytes.
        let found = unsafe text.bytes
        let expected = unsafe UnsafeRawPointer(literal.utf8Start)
        guard count >= 4 else {
            for offset in 0..<count {
                if unsafe text[unchecked: offset] != literal.utf8Start[offset] { return false }
            }
            return true
        }
        // Compares four bytes at a time; the last four may overlap the ones before.
        var offset = 0
        while true {
            let start = min(offset, count - 4)
            let left = unsafe found.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self)
            let right = unsafe expected.loadUnaligned(fromByteOffset: start, as: UInt32.self)
            guard left == right else { return false }
            offset += 4
            if offset >= count { return true }
        }
    }

    /// Finds the value of a member.
    ///
    /// - Parameters:
    ///   - name: The name of the member, in ASCII.
    ///   - object: The index of a token; only objects have members.
    ///   - bytes: The scanned bytes.
    /// - Returns: The index of the value, or nil.
    public func member(_ name: StaticString, of object: Int, in bytes: Span<UInt8>) -> Int? {
        let token = tokens[object]
        guard token.kind == .object else { return nil }
        var index = object + 1
        for _ in 0..<token.count {
            if matches(index, name, in: bytes) { return index + 1 }
            index = Int(tokens[index + 1].next)
        }
        return nil
    }

    /// The value of a number in plain integer notation.
    ///
    /// - Returns: Nil for other tokens, for a fraction or an exponent (`1.0`, `1e2`), and for a
    ///   number outside `Int64`. `-0` is 0.
    public func integer(_ index: Int, in bytes: Span<UInt8>) -> Int64? {
        let token = tokens[index]
        guard token.kind == .number else { return nil }
        var position = Int(token.start)
        let isNegative = bytes[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        // The value is accumulated as a negative number, because the lowest `Int64` has no positive
        // counterpart.
        var value: Int64 = 0
        while position < Int(token.end) {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, underflow) = tenfold.subtractingReportingOverflow(Int64(digit))
            if overflow || underflow { return nil }
            value = sum
            position += 1
        }
        if isNegative { return value }
        return value == .min ? nil : -value
    }

    /// The value of a token and its contents, as a tree.
    public func value(_ index: Int, in bytes: Span<UInt8>) -> JSONValue {
        let token = tokens[index]
        switch token.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .string: return .string(text(index, in: bytes))
        case .number: return .number(digits(token, in: bytes))
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(Int(token.count))
            var child = index + 1
            for _ in 0..<token.count {
                elements.append(value(child, in: bytes))
                child = Int(tokens[child].next)
            }
            return .array(elements)
        case .object:
            var members: [JSONMember] = []
            members.reserveCapacity(Int(token.count))
            var name = index + 1
            for _ in 0..<token.count {
                members.append(
                    JSONMember(name: text(name, in: bytes), value: value(name + 1, in: bytes)))
                name = Int(tokens[name + 1].next)
            }
            return .object(members)
        }
    }

    private func digits(_ token: JSONToken, in bytes: Span<UInt8>) -> String {
        var digits = ""
        digits.reserveCapacity(token.range.count)
        for offset in token.range { digits.unicodeScalars.append(Unicode.Scalar(bytes[offset])) }
        return digits
    }
}
