/// A scanner that checks text against RFC 8259 and I-JSON in one pass and records its tokens.
///
/// The scanner does not recurse. It keeps one bit per open container, object or array. The token of
/// an open container holds the index of its parent in `next`. A violation of RFC 8259 is thrown at
/// once. A violation of I-JSON or of a limit is deferred while the scan continues, because a
/// violation of RFC 8259 takes precedence.
///
/// The position is passed between the methods and not stored, because stored it would cost about a
/// hundred memory accesses in a short request.
struct JSONScanner {
    typealias Tokens = OutputSpan<JSONToken>

    let limits: JSONLimits
    var names = NameTable()

    /// The earliest deferred fault, of I-JSON or of a limit.
    private(set) var deferred: JSONFault?

    /// The first offset beyond the depth limit.
    private(set) var tooDeepOffset: Int?

    /// The number of open containers.
    private var depth = 0

    /// One bit per open container, the innermost lowest; 1 means an object. Full words move to
    /// `outerKinds`, so that hostile nesting costs one bit per level.
    private var kinds: UInt64 = 0
    private var outerKinds: [UInt64] = []

    /// The index of the innermost recorded open container, or -1.
    private var current = -1

    /// The number of members or elements of the current container so far. Those of its parents are
    /// in their tokens.
    private var count: Int32 = 0

    private var isRecording = true

    /// The depth of the container whose contents are not recorded, because it exceeds the limit.
    private var mutedDepth = 0

    init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Scans exactly one value, with optional white space around it.
    ///
    /// - Throws: The first violation of RFC 8259; else the earliest violation of I-JSON or of a
    ///   limit. After `.duplicateName`, `.loneSurrogate` and `.tooDeep` the tokens are complete
    ///   down to the depth limit.
    mutating func run(_ bytes: Span<UInt8>, _ tokens: inout Tokens) throws(JSONFault) {
        var position = 0
        repeat {
            position = try nextVisible(bytes, position)
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                position = try string(bytes, position, &tokens)
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                let isObject = byte == UInt8(ascii: "{")
                open(isObject: isObject, at: position, &tokens)
                position = try nextVisible(bytes, position + 1)
                if bytes[position] != Self.closing(isObject) {
                    count = 1
                    if isObject { position = try name(bytes, position, &tokens) }
                    continue
                }
                position += 1
                close(end: position, bytes, &tokens)
            } else {
                position = try scalar(bytes, position, &tokens)
            }
            position = try endOfValue(bytes, position, &tokens)
        } while depth > 0
        position = endOfWhitespace(bytes, position)
        guard position == bytes.count else { throw syntaxFault(position) }
        if let deferred { throw deferred }
    }

    /// Closes the containers that end after a value.
    ///
    /// - Returns: The offset of the next value, or of the end of the outermost value.
    @inline(__always)
    private mutating func endOfValue(
        _ bytes: Span<UInt8>, _ start: Int, _ tokens: inout Tokens
    ) throws(JSONFault) -> Int {
        var position = start
        while depth > 0 {
            let isObject = kinds & 1 == 1
            position = try nextVisible(bytes, position)
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") {
                count &+= 1
                position += 1
                return isObject ? try name(bytes, position, &tokens) : position
            }
            guard byte == Self.closing(isObject) else { throw syntaxFault(position) }
            position += 1
            close(end: position, bytes, &tokens)
        }
        return position
    }

    /// Scans the name of a member and the colon after it.
    ///
    /// - Returns: The offset after the colon.
    @inline(__always)
    private mutating func name(
        _ bytes: Span<UInt8>, _ start: Int, _ tokens: inout Tokens
    ) throws(JSONFault) -> Int {
        var position = try nextVisible(bytes, start)
        guard bytes[position] == UInt8(ascii: "\"") else { throw syntaxFault(position) }
        position = try string(bytes, position, &tokens)
        position = try nextVisible(bytes, position)
        guard bytes[position] == UInt8(ascii: ":") else { throw syntaxFault(position) }
        return position + 1
    }

    private static func closing(_ isObject: Bool) -> UInt8 {
        isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    /// Records a token unless a limit is exceeded.
    @inline(__always)
    mutating func record(_ token: JSONToken, _ tokens: inout Tokens) {
        guard isRecording else { return }
        guard tokens.count < limits.maximumTokens else {
            // Recording stops for good: no depth equals -1, so no close resumes it.
            note(.tooManyTokens, at: Int(token.start))
            isRecording = false
            mutedDepth = -1
            tokens.removeAll()
            return
        }
        tokens.append(token)
    }

    /// Defers a fault, if it is earlier than the deferred one.
    mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
        if let deferred, deferred.offset <= offset { return }
        deferred = JSONFault(kind: kind, offset: offset)
    }
}

// Open containers.
extension JSONScanner {
    /// Opens a container with its bracket at an offset.
    private mutating func open(isObject: Bool, at position: Int, _ tokens: inout Tokens) {
        if depth & 63 == 0, depth > 0 {
            outerKinds.append(kinds)
            kinds = 0
        }
        kinds = kinds << 1 | (isObject ? 1 : 0)
        depth += 1
        guard isRecording else { return }
        let index = tokens.count
        record(
            JSONToken(
                kind: isObject ? .object : .array, start: position, end: 0, next: current,
                count: count),
            &tokens)
        guard isRecording else { return }
        current = index
        count = 0
        if depth > limits.maximumDepth {
            note(.tooDeep, at: position)
            tooDeepOffset = tooDeepOffset ?? position
            isRecording = false
            mutedDepth = depth
        }
    }

    /// Closes the innermost container; `end` is the offset after its bracket.
    private mutating func close(end: Int, _ bytes: Span<UInt8>, _ tokens: inout Tokens) {
        let isObject = kinds & 1 == 1
        if isRecording || depth == mutedDepth {
            let outer = tokens[current]
            var token = outer
            token.end = Int32(truncatingIfNeeded: end)
            token.next = Int32(truncatingIfNeeded: tokens.count)
            token.count = isRecording ? count : 0
            tokens[current] = token
            if isObject, token.count > 1,
                let repeated = names.firstRepeated(in: current, tokens.span, bytes)
            {
                note(.duplicateName, at: repeated)
            }
            current = Int(outer.next)
            count = outer.count
            isRecording = true
            mutedDepth = 0
        }
        depth -= 1
        kinds >>= 1
        if depth & 63 == 0, let outer = outerKinds.popLast() { kinds = outer }
    }
}
