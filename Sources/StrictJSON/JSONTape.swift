/// The tokens of one text, in order. A tape is reusable for further texts.
///
/// The tape holds positions only; each method takes the scanned bytes again. An object's members
/// are stored as name, value, name, value. The first name of the object at index `i` is at `i + 1`;
/// the token after a value `v` is at `tokens[v].next`. Memory is kept between scans. Scanning text
/// of at most the earlier size allocates nothing.
public struct JSONTape: Sendable {
    /// The limits of each scan.
    public let limits: JSONLimits

    /// The tokens of the last text; the first is the whole value.
    ///
    /// Empty after a fault, except after `.duplicateName`, `.loneSurrogate` and `.tooDeep`. Then
    /// they describe the text down to the depth limit, so that a caller can find the id of the
    /// refused request.
    public private(set) var tokens: [JSONToken] = []

    private var names = NameTable()

    /// Creates an empty tape.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Scans exactly one JSON value, with optional white space around it, and replaces the tokens.
    ///
    /// - Parameter bytes: The whole text; at most `Int32.max` bytes.
    /// - Throws: `.encoding` if the text is not UTF-8 or has a byte order mark; else `.syntax` if
    ///   it is not JSON; else the earliest fault of another kind.
    public mutating func scan(_ bytes: Span<UInt8>) throws(JSONFault) {
        tokens.removeAll(keepingCapacity: true)
        guard bytes.count <= Int(Int32.max) else {
            throw JSONFault(kind: .tooManyTokens, offset: Int(Int32.max))
        }
        var scanner = JSONScanner(limits: limits)
        swap(&scanner.names, &names)
        defer { swap(&scanner.names, &names) }
        do {
            let bound = Self.tokenBound(bytes, limits.maximumTokens)
            try tokens.append(addingCapacity: bound) { output throws(JSONFault) in
                try scanner.run(bytes, &output)
            }
        } catch {
            if !error.isWellFormed { tokens.removeAll(keepingCapacity: true) }
            guard error.kind == .syntax else { throw error }
            let explained = Self.explained(error, bytes)
            // An excessive depth takes precedence over a later syntax fault.
            if explained.kind == .syntax, let offset = scanner.tooDeepOffset,
                offset < explained.offset
            {
                throw JSONFault(kind: .tooDeep, offset: offset)
            }
            throw explained
        }
    }

    /// An upper bound of the number of tokens.
    ///
    /// Each token has at least one byte. For a long text a smaller bound is worth a pass over the
    /// bytes. Each token but the first follows a bracket, a comma or a colon.
    private static func tokenBound(_ bytes: Span<UInt8>, _ limit: Int) -> Int {
        guard bytes.count > 16_384, limit > 16_384 else { return min(bytes.count, limit) }
        var bound = 1
        for offset in bytes.indices {
            switch bytes[offset] {
            case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: ":"):
                bound += 1
            default:
                break
            }
        }
        return min(bound, limit)
    }

    /// The fault to report. Text in another encoding violates the grammar before its first invalid
    /// byte, but the encoding is the useful reason.
    private static func explained(_ fault: JSONFault, _ bytes: Span<UInt8>) -> JSONFault {
        if let offset = firstEncodingFault(in: bytes) {
            return JSONFault(kind: .encoding, offset: offset)
        }
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        return hasMark ? JSONFault(kind: .encoding, offset: 0) : fault
    }
}
