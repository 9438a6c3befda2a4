/// One pass over a text: checks it against RFC 8259 and I-JSON and lays out its tokens.
///
/// There is no recursion: what is open is a bit each (object or array), and the token of an open
/// container keeps the index of its parent in `next` until it is closed. What RFC 8259 forbids
/// is thrown at once. What only I-JSON or a limit forbids is noted and the scan goes on, so that
/// a text that is not JSON at all is never called merely too deep.
struct JSONScanner {
    let limits: JSONLimits
    var tokens: [JSONToken] = []
    var names = NameTable()

    /// The next byte to look at.
    var position = 0

    /// The first fault that is not about RFC 8259.
    private(set) var deferred: JSONFault?

    /// The number of open containers.
    private var depth = 0

    /// One bit per open container, the innermost lowest: 1 for an object. Full words move to
    /// `outerKinds`, so that a hostile depth costs one bit a level.
    private var kinds: UInt64 = 0
    private var outerKinds: [UInt64] = []

    /// The token of the innermost recorded open container, or -1.
    private var current = -1

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
    mutating func run(_ bytes: Span<UInt8>) throws(JSONFault) {
        repeat {
            let opened = try value(bytes)
            if !opened { try endOfValue(bytes) }
        } while depth > 0
        skipWhitespace(bytes)
        guard position == bytes.count else { throw syntaxFault() }
        if let deferred { throw deferred }
    }

    /// Scans a scalar, or the opening of a container and, in an object, the first name.
    ///
    /// - Returns: True if a value must follow; false if a value has ended.
    @inline(__always)
    private mutating func value(_ bytes: Span<UInt8>) throws(JSONFault) -> Bool {
        switch try nextByte(bytes) {
        case UInt8(ascii: "\""):
            try string(bytes)
        case UInt8(ascii: "{"):
            return try open(.object, closing: UInt8(ascii: "}"), bytes)
        case UInt8(ascii: "["):
            return try open(.array, closing: UInt8(ascii: "]"), bytes)
        case UInt8(ascii: "t"):
            try literal("true", .true, bytes)
        case UInt8(ascii: "f"):
            try literal("false", .false, bytes)
        case UInt8(ascii: "n"):
            try literal("null", .null, bytes)
        default:
            try number(bytes)
        }
        return false
    }

    /// Closes what ends here; after a comma it stops where the next value must stand.
    @inline(__always)
    private mutating func endOfValue(_ bytes: Span<UInt8>) throws(JSONFault) {
        while depth > 0 {
            let isObject = kinds & 1 == 1
            let byte = try nextByte(bytes)
            if byte == UInt8(ascii: ",") {
                position += 1
                if isRecording { tokens[current].count += 1 }
                if isObject { try name(bytes) }
                return
            }
            guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                throw syntaxFault()
            }
            position += 1
            close(bytes)
        }
    }

    /// Scans the name of a member and the colon after it.
    @inline(__always)
    private mutating func name(_ bytes: Span<UInt8>) throws(JSONFault) {
        guard try nextByte(bytes) == UInt8(ascii: "\"") else { throw syntaxFault() }
        try string(bytes)
        guard try nextByte(bytes) == UInt8(ascii: ":") else { throw syntaxFault() }
        position += 1
    }

    /// Opens a container.
    ///
    /// - Returns: True if a value must follow; false if the container is empty and closed.
    private mutating func open(
        _ kind: JSONToken.Kind, closing: UInt8, _ bytes: Span<UInt8>
    ) throws(JSONFault) -> Bool {
        pushKind(isObject: kind == .object)
        if isRecording { recordOpening(kind) }
        position += 1
        if try nextByte(bytes) == closing {
            position += 1
            close(bytes)
            return false
        }
        if isRecording { tokens[current].count = 1 }
        if kind == .object { try name(bytes) }
        return true
    }

    @inline(__always)
    private mutating func recordOpening(_ kind: JSONToken.Kind) {
        let index = tokens.count
        record(JSONToken(kind: kind, start: position, end: position, next: current))
        guard isRecording else { return }
        current = index
        if depth > limits.maximumDepth {
            note(.tooDeep, at: position)
            isRecording = false
            mutedDepth = depth
        }
    }

    /// Completes the token of the innermost container, whose bracket was just passed.
    @inline(__always)
    private mutating func close(_ bytes: Span<UInt8>) {
        if isRecording || depth == mutedDepth {
            let token = tokens[current]
            if isRecording && token.kind == .object && token.count > 1 {
                if let repeated = names.firstRepeated(in: current, tokens, bytes) {
                    note(.duplicateName, at: repeated)
                }
            }
            tokens[current].end = Int32(truncatingIfNeeded: position)
            tokens[current].next = Int32(truncatingIfNeeded: tokens.count)
            current = Int(token.next)
            isRecording = true
            mutedDepth = 0
        }
        popKind()
    }

    /// Adds a token unless its place is beyond a limit.
    @inline(__always)
    mutating func record(_ token: JSONToken) {
        guard isRecording else { return }
        guard tokens.count < limits.maximumTokens else {
            // Nothing is recorded from here on; no depth equals this one, so nothing resumes.
            note(.tooManyTokens, at: Int(token.start))
            isRecording = false
            mutedDepth = -1
            tokens.removeAll(keepingCapacity: true)
            return
        }
        tokens.append(token)
    }

    /// Remembers a fault that does not end the scan, if it lies before the one known.
    mutating func note(_ kind: JSONFault.Kind, at offset: Int) {
        if let deferred, deferred.offset <= offset { return }
        deferred = JSONFault(kind: kind, offset: offset)
    }

    private mutating func pushKind(isObject: Bool) {
        if depth & 63 == 0, depth > 0 {
            outerKinds.append(kinds)
            kinds = 0
        }
        kinds = kinds << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    private mutating func popKind() {
        depth -= 1
        kinds >>= 1
        if depth & 63 == 0, let outer = outerKinds.popLast() { kinds = outer }
    }
}
