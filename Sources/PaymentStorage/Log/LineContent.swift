public import PaymentCore
public import StrictJSON

/// The type word and the payload of a line of a journal or of a snapshot.
///
/// The bytes belong to whoever reads the file and are shared, not copied; keep what is needed
/// from the content, not the content itself.
public struct LineContent: Sendable {
    let bytes: [UInt8]
    let range: Range<Int>
    let tape: JSONTape
    let wordToken: Int
    let payloadToken: Int

    /// Finds word and payload in a scanned line; nil if it is not an object that has both.
    init?(bytes: [UInt8], range: Range<Int>, tape: JSONTape) {
        let span = bytes.span.extracting(range)
        guard let wordToken = tape.member("t", of: 0, in: span),
            tape.tokens[wordToken].kind == .string,
            let payloadToken = tape.member("d", of: 0, in: span)
        else { return nil }
        self.bytes = bytes
        self.range = range
        self.tape = tape
        self.wordToken = wordToken
        self.payloadToken = payloadToken
    }

    /// The word that says what the payload is.
    public var word: String { tape.text(wordToken, in: bytes.span.extracting(range)) }

    /// The payload as a tree. Comfortable, not fast.
    public var payload: JSONValue { tape.value(payloadToken, in: bytes.span.extracting(range)) }

    /// The line as it stands in the file, without its line feed.
    public var text: String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether this is the word.
    public func isWord(_ word: StaticString) -> Bool {
        tape.matches(wordToken, word, in: bytes.span.extracting(range))
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
    private let timeToken: Int
    private let originToken: Int?
    /// Whether a reader that does not know the type may pass over the line.
    public let isOptional: Bool

    /// Finds the parts of a scanned line; nil if one is missing.
    init?(start: LineFormat.Start, bytes: [UInt8], range: Range<Int>, tape: JSONTape) {
        let span = bytes.span.extracting(range)
        guard let content = LineContent(bytes: bytes, range: range, tape: tape),
            let timeToken = tape.member("at", of: 0, in: span)
        else { return nil }
        sequence = start.sequence
        batch = start.batch
        self.content = content
        self.timeToken = timeToken
        originToken = tape.member("by", of: 0, in: span)
        isOptional =
            tape.member("opt", of: 0, in: span).map { tape.tokens[$0].kind == .true } ?? false
    }

    /// Whether the journal wrote the line for itself: no event, a hole in the sequence.
    public var isInternal: Bool {
        content.isWord("segment") || content.isWord("mark") || content.isWord("seal")
    }

    /// When the line was made.
    public func time() throws(PayloadFault) -> Timestamp {
        try content.timestamp(timeToken)
    }

    /// Who caused it, if a client did.
    public func origin() throws(PayloadFault) -> Origin? {
        guard let originToken else { return nil }
        return try content.origin(originToken)
    }
}

/// A verified line says something that cannot be understood.
public struct PayloadFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "'country' is missing".
    public let description: String

    /// Makes a fault.
    public init(_ description: String) {
        self.description = description
    }
}
