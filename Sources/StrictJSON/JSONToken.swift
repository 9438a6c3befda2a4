/// One name or value of a scanned text, by position; it holds no text itself.
public struct JSONToken: Sendable, Hashable {
    /// The kind of a token. Names of members are strings.
    public enum Kind: UInt8, Sendable, Hashable {
        /// A list of members in braces.
        case object
        /// A list of elements in brackets.
        case array
        /// A text in quotation marks, also the name of a member.
        case string
        /// A number, kept as its digits.
        case number
        /// The literal `true`.
        case `true`
        /// The literal `false`.
        case `false`
        /// The literal `null`.
        case null
    }

    /// The offset of the first byte; for a string of its opening quotation mark.
    public var start: Int32

    /// The offset past the last byte.
    public var end: Int32

    /// The index of the first token that is not part of this one: for a scalar the next index,
    /// for a container the index after everything inside it.
    public var next: Int32

    /// The number of members or elements directly inside; 0 for scalars.
    public var count: Int32

    /// The kind of the token.
    public var kind: Kind

    /// True for a string that contains a backslash and so must be decoded to be read.
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

    /// The bytes of the token, as written, with quotation marks or brackets.
    public var range: Range<Int> { Int(start)..<Int(end) }

    /// The bytes between the quotation marks of a string; the same as `range` for other tokens.
    public var contentRange: Range<Int> {
        kind == .string ? Int(start) + 1..<Int(end) - 1 : range
    }
}
