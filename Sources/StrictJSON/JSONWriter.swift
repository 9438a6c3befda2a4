/// A writer of canonical JSON into an array of bytes. It writes no white space and does not escape
/// `/`. Control characters have their short form or `\u00xx`; all other characters are UTF-8.
///
/// The writer has two layers. The lower layer appends exactly its arguments, and allocates nothing
/// while `bytes` has capacity. The upper layer, such as `beginObject`, also writes commas. It
/// derives them from the last byte, so the layers may be mixed, as long as `bytes` is not emptied
/// inside a container.
public struct JSONWriter: Sendable {
    /// The bytes written so far.
    public var bytes: [UInt8]

    /// Creates a writer without capacity.
    public init() {
        bytes = []
    }

    /// Creates a writer with capacity.
    ///
    /// - Parameter capacity: The capacity in bytes.
    public init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Removes all bytes and keeps the capacity.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends text that is a fragment of JSON.
    @inlinable
    public mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes that are a fragment of JSON.
    @inlinable
    public mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    /// Appends bytes that are a fragment of JSON.
    @inlinable
    public mutating func raw(_ text: Span<UInt8>) {
        // SAFETY: the buffer is read inside of the closure only.
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a string in quotation marks, with the escapes that JSON requires.
    public mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        escaped(text.utf8.span)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string in quotation marks from its UTF-8 bytes.
    ///
    /// - Parameter text: Well-formed UTF-8; this is not checked.
    public mutating func string(utf8 text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        escaped(text)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer in decimal.
    @inlinable
    public mutating func integer(_ value: some FixedWidthInteger) {
        if let small = Int64(exactly: value) {
            decimal(small.magnitude, isNegative: small < 0)
        } else if let large = UInt64(exactly: value) {
            decimal(large, isNegative: false)
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
    }

    /// Appends `true` or `false`.
    public mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Appends `null`.
    public mutating func null() {
        raw("null")
    }

    /// Appends a tree of values.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .string(let text): string(text)
        case .number(let digits):
            precondition(isNumber(digits), "a JSON number has invalid digits")
            bytes.append(contentsOf: digits.utf8)
        case .array(let elements):
            beginArray()
            for child in elements {
                element()
                self.value(child)
            }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    @usableFromInline
    mutating func decimal(_ magnitude: UInt64, isNegative: Bool) {
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        // The digits are computed from the last to the first. Twenty suffice for 64 bits.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = magnitude
        repeat {
            first -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest > 0
        raw(digits.span.extracting(first..<20))
    }

    private mutating func escaped(_ text: Span<UInt8>) {
        var start = 0
        var position = 0
        while true {
            position = endOfPlainText(in: text, from: position)
            guard position < text.count else { break }
            let byte = text[position]
            if byte < 0x80 {
                raw(text.extracting(start..<position))
                escape(byte)
                start = position + 1
            }
            position += 1
        }
        raw(text.extracting(start..<text.count))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x08: raw("\\b")
        case 0x09: raw("\\t")
        case 0x0A: raw("\\n")
        case 0x0C: raw("\\f")
        case 0x0D: raw("\\r")
        default:
            raw("\\u00")
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 0x0F
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
