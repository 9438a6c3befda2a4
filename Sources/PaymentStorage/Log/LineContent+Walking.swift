/// Scanning the bytes of one line of canonical JSON without creating values.
extension LineContent {
    /// The maximum nesting of a line. The lines of this program have a nesting of five.
    private static let depthLimit = 64

    private var end: Int { range.upperBound }

    /// Whether these bytes are at an offset.
    @inline(__always)
    func has(_ text: StaticString, at offset: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var cursor = LineCursor(bytes, from: min(max(0, offset), end), to: end)
            return cursor.position == offset && cursor.skip(text)
        }
    }

    /// The range of a word without escapes after a text, up to its quotation mark.
    func word(at offset: Int, after text: StaticString) -> Range<Int>? {
        guard has(text, at: offset) else { return nil }
        let start = offset + text.utf8CodeUnitCount
        var position = start
        while position < end, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] != UInt8(ascii: "\\") else { return nil }
            position += 1
        }
        return position < end && position > start ? start..<position : nil
    }

    /// The content of a string and whether it has escapes; nil if there is no string at the offset.
    func stringContent(at offset: Int) -> (content: Range<Int>, hasEscapes: Bool)? {
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        var position = offset + 1
        var hasEscapes = false
        while position < end {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { return (offset + 1..<position, hasEscapes) }
            if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                position += 1
            }
            position += 1
        }
        return nil
    }

    /// The offset after a value; nil if there is none.
    func endOfValue(at offset: Int) -> Int? {
        guard offset < end else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "\""):
            return stringContent(at: offset).map { $0.content.upperBound + 1 }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            return endOfContainer(at: offset)
        default:
            var position = offset
            while position < end, !isDelimiter(bytes[position]) { position += 1 }
            return position > offset ? position : nil
        }
    }

    private func endOfContainer(at offset: Int) -> Int? {
        var depth = 0
        var position = offset
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard let text = stringContent(at: position) else { return nil }
                position = text.content.upperBound
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                guard depth <= Self.depthLimit else { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return position + 1 }
            default:
                break
            }
            position += 1
        }
        return nil
    }

    private func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
