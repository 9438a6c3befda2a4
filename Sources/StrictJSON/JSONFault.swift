/// The reason for the refusal of JSON text, and its position.
public struct JSONFault: Error, Sendable, Hashable {
    /// The kinds of faults.
    ///
    /// `syntax` and `encoding` mean that the text is not JSON (RFC 8259); they take precedence. The
    /// other kinds mean JSON that is not I-JSON (RFC 7493) or exceeds a limit.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The text violates the grammar of RFC 8259 or ends too early.
        case syntax
        /// The text is not UTF-8, or begins with a byte order mark.
        case encoding
        /// An object has two members of the same name after decoding escapes.
        case duplicateName
        /// An escape is half of a surrogate pair.
        case loneSurrogate
        /// The nesting of arrays and objects exceeds `JSONLimits.maximumDepth`.
        case tooDeep
        /// The number of tokens exceeds `JSONLimits.maximumTokens`, or the number of bytes exceeds
        /// `Int32.max`.
        case tooManyTokens
    }

    /// The kind of the fault.
    public let kind: Kind

    /// The offset of the offending byte, name, escape or bracket, in bytes from 0. If the text ends
    /// too early, it is the length of the text.
    public let offset: Int

    /// Creates a fault.
    public init(kind: Kind, offset: Int) {
        self.kind = kind
        self.offset = offset
    }

    /// True if the text is JSON (RFC 8259) that is not I-JSON or exceeds a limit.
    public var isWellFormed: Bool {
        switch kind {
        case .syntax, .encoding: false
        case .duplicateName, .loneSurrogate, .tooDeep, .tooManyTokens: true
        }
    }

    /// The position of the offset in an editor.
    ///
    /// - Parameter bytes: The refused text.
    /// - Returns: Line and column, from 1. Columns count Unicode scalars; a line ends at LF.
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
    /// A phrase for users, such as `repeated name at byte 17`.
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
