/// A name or value of a scanned text, by position.
public struct JSONToken: Sendable, Hashable {
    /// The kinds of tokens. Names of members are strings.
    public enum Kind: UInt8, Sendable, Hashable {
        /// An object.
        case object
        /// An array.
        case array
        /// A string or the name of a member.
        case string
        /// A number.
        case number
        /// The literal `true`.
        case `true`
        /// The literal `false`.
        case `false`
        /// The literal `null`.
        case null
    }

    /// The offset of the first byte; for a string, of the opening quotation mark.
    public var start: Int32

    /// The offset after the last byte.
    public var end: Int32

    /// The index of the first token after this one and its contents.
    public var next: Int32

    /// The number of direct members or elements; 0 for scalars.
    public var count: Int32

    /// The kind of the token.
    public var kind: Kind

    /// True for a string with escapes, which must be decoded.
    public var hasEscapes: Bool

    @inline(__always)
    init(
        kind: Kind, start: Int, end: Int, next: Int, count: Int32 = 0, hasEscapes: Bool = false
    ) {
        self.start = Int32(truncatingIfNeeded: start)
        self.end = Int32(truncatingIfNeeded: end)
        self.next = Int32(truncatingIfNeeded: next)
        self.count = count
        self.kind = kind
        self.hasEscapes = hasEscapes
    }

    /// The range of the token's bytes, including quotation marks or brackets.
    public var range: Range<Int> { Int(start)..<Int(end) }

    /// The range between the quotation marks of a string; `range` for other tokens.
    public var contentRange: Range<Int> {
        kind == .string ? Int(start) + 1..<Int(end) - 1 : range
    }
}
