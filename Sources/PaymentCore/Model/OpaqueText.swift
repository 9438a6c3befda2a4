/// Text that is never interpreted: kept as given and compared byte by byte.
///
/// `String` treats different encodings of the same letter as equal. That would merge keys, product
/// identifiers, account names or tokens that a client keeps apart.
public struct OpaqueText: Sendable, Hashable {
    /// The text.
    public let string: String

    /// Wraps the text unchanged.
    public init(_ string: String) {
        self.string = string
    }

    /// The number of UTF-8 bytes.
    public var byteCount: Int { string.utf8.count }

    /// Equality of the bytes.
    public static func == (left: OpaqueText, right: OpaqueText) -> Bool {
        // Most compared values are copies of one string, or short enough to be stored in two words.
        if Words(left.string) == Words(right.string) { return true }
        // SAFETY: all bytes of the text are initialized.
        let first = unsafe left.string.utf8.span.bytes
        let second = unsafe right.string.utf8.span.bytes
        let count = first.byteCount
        guard count == second.byteCount else { return false }
        var index = 0
        while index + 8 <= count {
            guard first.word(at: index) == second.word(at: index) else { return false }
            index += 8
        }
        return first.lastWord(from: index) == second.lastWord(from: index)
    }

    /// Hashes the bytes, to agree with `==`.
    public func hash(into hasher: inout Hasher) {
        // SAFETY: all bytes of the text are initialized.
        Self.hash(unsafe string.utf8.span.bytes, into: &hasher)
    }

    /// Hashes the bytes of a text. Hashes eight bytes at a time: a hasher processes whole words
    /// several times faster than bytes.
    static func hash(_ bytes: RawSpan, into hasher: inout Hasher) {
        var index = 0
        while index + 8 <= bytes.byteCount {
            hasher.combine(bytes.word(at: index))
            index += 8
        }
        hasher.combine(bytes.lastWord(from: index))
        hasher.combine(bytes.byteCount)
    }

    /// Orders by bytes, for listings that must not depend on a locale.
    public static func precedes(_ left: OpaqueText, _ right: OpaqueText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension OpaqueText: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public var description: String { string }

    /// Wraps a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

/// The identifier of a product, as the catalogue spells it.
public typealias ProductIdentifier = OpaqueText

/// The name of an account at the store.
public typealias AccountName = OpaqueText

/// The two words of a string's representation. Equal words mean equal strings. Different words do
/// not mean different strings.
private struct Words: Equatable {
    let first: UInt64
    let second: UInt64

    init(_ string: String) {
        // SAFETY: every bit pattern is a valid number, and the cast traps if the sizes differ.
        (first, second) = unsafe unsafeBitCast(string, to: (UInt64, UInt64).self)
    }
}

extension RawSpan {
    /// Eight bytes from an offset. The span must contain them.
    func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 8 <= byteCount, "a word is read beyond the text")
        // SAFETY: the bytes are inside the span, and every bit pattern is a valid number.
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
    }

    /// Four bytes from an offset, in the lower half. The span must contain them.
    func half(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset + 4 <= byteCount, "a word is read beyond the text")
        // SAFETY: the bytes are inside the span, and every bit pattern is a valid number.
        return UInt64(
            unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    /// The bytes from an offset to the end, fewer than eight, with zeros before them.
    fileprivate func lastWord(from offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in offset..<byteCount {
            // SAFETY: the byte is inside the span.
            let byte = unsafe unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
            word = word << 8 | UInt64(byte)
        }
        return word
    }
}
