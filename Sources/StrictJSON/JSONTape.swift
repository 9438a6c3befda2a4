/// The tokens of one text, in the order of the text; made to be reused from text to text.
///
/// The tape holds positions only: each question about it takes the same bytes that were scanned.
/// The members of an object are laid out name, value, name, value; the first name of the object
/// at index `i` is at `i + 1`, and the token after a value `v` is at `tokens[v].next`. Memory is
/// kept between scans, so that scanning a text no larger than the ones before allocates nothing.
public struct JSONTape: Sendable {
    /// The limits that each scan applies.
    public let limits: JSONLimits

    /// The tokens of the last text; the whole value is the first.
    ///
    /// Empty after a fault, except after `.duplicateName`, `.loneSurrogate` and `.tooDeep`: then
    /// they describe the text down to the limit of depth, for a reader who wants to know whom to
    /// tell about the fault.
    public private(set) var tokens: [JSONToken] = []

    private var names = NameTable()

    /// An empty tape.
    public init(limits: JSONLimits = JSONLimits()) {
        self.limits = limits
    }

    /// Scans exactly one JSON value, with any white space around it, in place of the last one.
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
            // What is nested too deep is called that, even if it also breaks off further on.
            if explained.kind == .syntax, let offset = scanner.tooDeepOffset,
                offset < explained.offset
            {
                throw JSONFault(kind: .tooDeep, offset: offset)
            }
            throw explained
        }
    }

    /// A number of tokens that a text cannot exceed while they are recorded.
    ///
    /// Each token takes a byte. For a long text memory matters more than a look at each byte, and
    /// each token but the first follows a bracket, a comma or a colon.
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

    /// Text in another encoding breaks the grammar before its first odd byte; the encoding is
    /// what its author must hear about.
    private static func explained(_ fault: JSONFault, _ bytes: Span<UInt8>) -> JSONFault {
        if let offset = firstEncodingFault(in: bytes) {
            return JSONFault(kind: .encoding, offset: offset)
        }
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        return hasMark ? JSONFault(kind: .encoding, offset: 0) : fault
    }
}
