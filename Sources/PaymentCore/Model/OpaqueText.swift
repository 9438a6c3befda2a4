/// Text that belongs to somebody else: kept as given and compared byte by byte.
///
/// `String` calls two spellings of the same letter equal; for keys, product identifiers, account
/// names and tokens that would merge what a client meant to keep apart.
public struct OpaqueText: Sendable, Hashable {
    /// The text.
    public let string: String

    /// Keeps the text.
    public init(_ string: String) {
        self.string = string
    }

    /// The number of UTF-8 bytes.
    public var byteCount: Int { string.utf8.count }

    /// Equality of the bytes.
    public static func == (left: OpaqueText, right: OpaqueText) -> Bool {
        let first = left.string.utf8.span
        let second = right.string.utf8.span
        guard first.count == second.count else { return false }
        for index in first.indices where first[index] != second[index] { return false }
        return true
    }

    /// Hashes the bytes, to agree with `==`.
    public func hash(into hasher: inout Hasher) {
        // Eight bytes at a time: a hasher takes whole words several times faster than bytes.
        let bytes = string.utf8.span
        var index = 0
        while index < bytes.count {
            var word: UInt64 = 0
            let end = min(index + 8, bytes.count)
            while index < end {
                word = word << 8 | UInt64(bytes[index])
                index += 1
            }
            hasher.combine(word)
        }
        hasher.combine(bytes.count)
    }

    /// Orders by bytes, for listings that must not depend on a locale.
    public static func precedes(_ left: OpaqueText, _ right: OpaqueText) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension OpaqueText: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The text.
    public var description: String { string }

    /// Keeps a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

/// The identifier of a product, as the catalogue spells it.
public typealias ProductIdentifier = OpaqueText

/// The name of an account at the store.
public typealias AccountName = OpaqueText
