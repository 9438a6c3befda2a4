/// One pass over a text: checks it against RFC 8259 and I-JSON and lays out its tokens.
///
/// There is no recursion: what is open is one bit each (object or array), and the token of an
/// open container keeps the index of its parent in `next` until it is closed. What RFC 8259
/// forbids is thrown at once. What only I-JSON or a limit forbids is noted and the scan goes on,
/// so that a text that is not JSON at all is never called merely a breach of I-JSON.
///
/// The position is handed from step to step instead of being stored, because a stored one would
/// be read and written in memory some hundred times for a short request.
struct JSONScanner {
    typealias Tokens = OutputSpan<JSONToken>

    let limits: JSONLimits
    var names = NameTable()

    /// The earliest fault that is not about RFC 8259.
    private(set) var deferred: JSONFault?

    /// Where the text first went deeper than the limit.
    private(set) var tooDeepOffset: Int?

    /// The number of open containers.
    private var depth = 0

    /// One bit per open container, the innermost lowest: 1 for an object. Full words move to
    /// `outerKinds`, so that a hostile depth costs one bit a level.
    private var kinds: UInt64 = 0
    private var outerKinds: [UInt64] = []

    /// The token of the innermost recorded open container, or -1.
    private var current = -1

    /// The members or elements of the current container so far; its parent's wait in its token.
    private var count: Int32 = 0

    private var isRecording = true

    /// The depth of the container whose contents are left out because it lies beyond the limit.
    private var mutedDepth = 0

    init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Scans exactly one value with white space around it.
    ///
    /// - Throws: The first breach of RFC 8259; without one, the earliest breach of I-JSON or of a
    ///   limit. After `.duplicateName`, `.loneSurrogate` and `.tooDeep` the tokens are complete
    ///   down to the limit of depth.
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

    /// Closes what ends after a value.
    ///
    /// - Returns: Where the next value must stand, or the end of the outermost value.
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

    /// Adds a token unless its place is beyond a limit.
    @inline(__always)
    mutating func record(_ token: JSONToken, _ tokens: inout Tokens) {
        guard isRecording else { return }
        guard tokens.count < limits.maximumTokens else {
            // Nothing is recorded from here on; no depth equals this one, so nothing resumes.
            note(.tooManyTokens, at: Int(token.start))
            isRecording = false
            mutedDepth = -1
            tokens.removeAll()
            return
        }
        tokens.append(token)
    }

    /// Remembers a fault that does not end the scan, if it lies before the one known.
    mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
        if let deferred, deferred.offset <= offset { return }
        deferred = JSONFault(kind: kind, offset: offset)
    }
}

// What is open.
extension JSONScanner {
    /// Enters a container whose bracket stands at an offset.
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

    /// Leaves the innermost container, whose bracket ends at an offset.
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
