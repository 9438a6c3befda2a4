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
        left.string.utf8.count == right.string.utf8.count
            && left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Hashes the bytes, to agree with `==`.
    public func hash(into hasher: inout Hasher) {
        let hashed: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        if hashed == nil {
            for byte in string.utf8 { hasher.combine(byte) }
        }
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
