public import PaymentCore
public import StrictJSON

/// The type word and the payload of a line of a journal or of a snapshot.
///
/// The bytes belong to the reader of the file and are shared, not copied; keep what is needed
/// from the content, not the content itself.
///
/// Reading relies on the form that the writer guarantees: no white space, sorted names, no names with escapes.
/// A line is read only after its checksum or digest has verified, so accidental damage never gets here. Any
/// other form is a ``PayloadFault``.
public struct LineContent: Sendable {
    let bytes: [UInt8]
    /// Where the line is in the bytes, without its line feed.
    let range: Range<Int>
    private var wordRange: Range<Int>
    /// Where the payload begins: the offset of its opening brace.
    private(set) var payloadOffset: Int

    /// A line whose word and payload are still to be found.
    private init(bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        self.range = range
        wordRange = range.lowerBound..<range.lowerBound
        payloadOffset = range.lowerBound
    }

    /// Finds word and payload in a line of a snapshot; nil if it has another shape.
    init?(snapshotLine range: Range<Int>, in bytes: [UInt8]) {
        self.init(itemLine: range, typeAt: range.lowerBound, after: "{\"t\":\"", in: bytes)
    }

    /// Finds word and payload in a line that ends with them, after some text; nil if it has another
    /// shape.
    init?(
        itemLine range: Range<Int>, typeAt offset: Int, after text: StaticString, in bytes: [UInt8]
    ) {
        self.init(bytes: bytes, range: range)
        guard let wordRange = word(at: offset, after: text),
            has("\",\"d\":{", at: wordRange.upperBound), has("}}", at: range.upperBound - 2)
        else { return nil }
        self.wordRange = wordRange
        payloadOffset = wordRange.upperBound + 6
    }

    /// Finds word and payload in a line of a journal, and whether it may be passed over, its
    /// moment and its origin, which all stand in one order; nil if it has another shape.
    init?(
        journalLine range: Range<Int>, wordAt word: Int, in bytes: [UInt8],
        parts: inout (isOptional: Bool, time: Int, origin: Int?)
    ) {
        self.init(bytes: bytes, range: range)
        guard let wordRange = self.word(at: word, after: "") else { return nil }
        self.wordRange = wordRange
        var position = wordRange.upperBound + 1
        parts.isOptional = has(",\"opt\":true", at: position)
        if parts.isOptional { position += 11 }
        guard has(",\"at\":\"", at: position), has("\"", at: position + 31) else { return nil }
        parts.time = position + 6
        position += 32
        if has(",\"by\":{", at: position) {
            parts.origin = position + 6
            guard let end = endOfValue(at: position + 6) else { return nil }
            position = end
        }
        guard has(",\"d\":{", at: position), has("}}", at: range.upperBound - 2) else { return nil }
        payloadOffset = position + 5
    }

    /// The word that says what the payload is.
    public var word: String { String(decoding: bytes[wordRange], as: UTF8.self) }

    /// Whether the line is of the embedded store.
    var isOfStore: Bool { has(LineFormat.storePrefix, at: wordRange.lowerBound) }

    /// The line as a record of the embedded store; nil if it is not one.
    var storeRecord: StoreRecord? {
        guard isOfStore else { return nil }
        let word = wordRange.dropFirst(LineFormat.storePrefix.utf8CodeUnitCount)
        return StoreRecord(
            word: String(decoding: bytes[word], as: UTF8.self),
            payload: Array(bytes[payloadOffset..<range.upperBound - 1]))
    }

    /// The payload as a tree. This is slower than reading single members. `null` if the payload is not JSON,
    /// which the writer never produces.
    public var payload: JSONValue {
        let text = bytes.span.extracting(payloadOffset..<range.upperBound - 1)
        do throws(JSONFault) {
            return try JSONValue(parsing: text, limits: .trusted)
        } catch {
            return .null
        }
    }

    /// The line as it is in the file, without its line feed.
    public var text: String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether this is the word.
    public func isWord(_ word: StaticString) -> Bool {
        wordRange.count == word.utf8CodeUnitCount
            && has(word, at: wordRange.lowerBound)
    }
}

/// A line of a journal whose checksum, sequence number and shape were verified.
public struct JournalLine: Sendable {
    /// Its place in the journal.
    public let sequence: SequenceNumber
    /// The place of the first line that shared its sync.
    public let batch: SequenceNumber
    /// Type and payload.
    public let content: LineContent
    /// Whether a reader that does not support the type may skip the line.
    public let isOptional: Bool
    let timeOffset: Int
    let originOffset: Int?

    /// Finds the parts of a line, which stand in one order; nil if it has another shape.
    init?(start: LineFormat.Start, bytes: [UInt8], range: Range<Int>) {
        var parts: (isOptional: Bool, time: Int, origin: Int?) = (false, 0, nil)
        guard
            let content = LineContent(
                journalLine: range, wordAt: range.lowerBound + start.wordOffset, in: bytes,
                parts: &parts)
        else { return nil }
        sequence = start.sequence
        batch = start.batch
        self.content = content
        isOptional = parts.isOptional
        timeOffset = parts.time
        originOffset = parts.origin
    }

    /// Whether the journal wrote the line for itself: no event, a hole in the sequence.
    public var isInternal: Bool {
        content.isWord("segment") || content.isWord("mark") || content.isWord("seal")
    }

    /// Whether readers of events pass over the line: it is the journal's own, or of the embedded store.
    var isHole: Bool { isInternal || content.isOfStore }

    /// The length of the line in the file, with its line feed.
    var byteCount: Int { content.range.count + 1 }

    /// When the line was made.
    public func time() throws(PayloadFault) -> Timestamp {
        try content.timestamp(timeOffset)
    }

    /// The client that caused it; nil if none did.
    public func origin() throws(PayloadFault) -> Origin? {
        guard let originOffset else { return nil }
        return try content.origin(originOffset)
    }
}

/// The content of a verified line is not valid.
public struct PayloadFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "'country' is missing".
    public let description: String

    /// Creates a fault.
    public init(_ description: String) {
        self.description = description
    }
}
