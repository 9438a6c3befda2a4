/// Why a text was refused, and where.
public struct JSONFault: Error, Sendable, Hashable {
    /// The kinds of refusal.
    ///
    /// The first two say that the text is no JSON at all (RFC 8259) and win over the others, which
    /// say that it is JSON but not I-JSON (RFC 7493) or beyond a limit.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The grammar of RFC 8259 does not allow this byte, or the text ends too early.
        case syntax
        /// The text is not UTF-8, or begins with a byte order mark.
        case encoding
        /// An object has two members of the same name, compared after resolving escapes.
        case duplicateName
        /// An escape stands for half of a surrogate pair.
        case loneSurrogate
        /// Arrays and objects are nested beyond `JSONLimits.maximumDepth`.
        case tooDeep
        /// There are more tokens than `JSONLimits.maximumTokens`, or more bytes than an `Int32`
        /// can count.
        case tooManyTokens
    }

    /// The problem.
    public let kind: Kind

    /// The offset in bytes, from 0, of the offending byte, name, escape or bracket. For a text
    /// that ends too early it is the length of the text.
    public let offset: Int

    /// Describes a refusal.
    public init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// True if the text is JSON by RFC 8259 and refused only by I-JSON or by a limit.
    public var isWellFormed: Bool {
        switch kind {
        case .syntax, .encoding: false
        case .duplicateName, .loneSurrogate, .tooDeep, .tooManyTokens: true
        }
    }

    /// Where a person finds the offset in an editor.
    ///
    /// - Parameter bytes: The text that was refused.
    /// - Returns: Line and column from 1. A column is a Unicode scalar, a line ends at LF.
    public func lineAndColumn(in bytes: some Sequence<UInt8>) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}

extension JSONFault: CustomStringConvertible {
    /// A phrase for people, such as `repeated name at byte 17`.
    public var description: String {
        let reason =
            switch kind {
            case .syntax: "not JSON"
            case .encoding: "not UTF-8, or a byte order mark,"
            case .duplicateName: "repeated name"
            case .loneSurrogate: "half of a surrogate pair"
            case .tooDeep: "nested too deep"
            case .tooManyTokens: "too many tokens"
            }
        return "\(reason) at byte \(offset)"
    }
}
