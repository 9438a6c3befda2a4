internal import PaymentCore
internal import StrictJSON

/// Writes lines one after the other into one buffer: the running batch of a journal.
///
/// Allocates nothing while the buffer has room.
struct LineWriter {
    private var writer: JSONWriter
    /// The checksum of the last line.
    private(set) var chain: UInt32
    /// The sequence number that the next line gets.
    private(set) var next: SequenceNumber
    /// The first sequence number of the running batch.
    private(set) var batch: SequenceNumber
    private let lineLimit: Int

    init(chain: UInt32, next: SequenceNumber, lineLimit: Int, capacity: Int = 1 << 16) {
        writer = JSONWriter(capacity: capacity)
        self.chain = chain
        self.next = next
        batch = next
        self.lineLimit = lineLimit
    }

    /// Whether the batch has no lines.
    var isEmpty: Bool { writer.bytes.isEmpty }

    /// The bytes of the batch. The caller must release them before the next batch begins.
    var bytes: [UInt8] { writer.bytes }

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - word: The type.
    ///   - time: The time of the decision.
    ///   - origin: The client that caused it; nil if none did.
    ///   - isOptional: Whether a reader that does not support the type may skip the line.
    ///   - payload: Appends one JSON object; the names in it are sorted.
    /// - Returns: The sequence number of the line.
    mutating func line(
        _ word: StaticString, time: Timestamp, origin: Origin?, isOptional: Bool = false,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        line(
            time: time, origin: origin, isOptional: isOptional, word: { $0.literal(word) },
            payload: payload)
    }

    /// Appends a line of the embedded store.
    ///
    /// - Returns: The length of the line in bytes, with its line feed.
    mutating func line(of record: StoreRecord, time: Timestamp) -> Int {
        let start = writer.bytes.count
        _ = line(
            time: time, origin: nil, isOptional: false,
            word: { text in
                text.literal(LineFormat.storePrefix)
                text.word(record.word)
            },
            payload: { $0.raw(record.payload) })
        return writer.bytes.count - start
    }

    @inline(__always)
    private mutating func line(
        time: Timestamp, origin: Origin?, isOptional: Bool, word: (inout StackText) -> Void,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        let sequence = next
        precondition(
            sequence < LineFormat.sequenceLimit, "the journal ran out of sequence numbers")
        let (batch, start) = (batch, writer.bytes.count)
        writer.onStack { head in
            head.literal("{\"c\":\"00000000\",\"s\":")
            head.decimal(sequence)
            head.literal(",\"b\":")
            head.decimal(batch)
            head.literal(",\"t\":\"")
            word(&head)
            head.literal(isOptional ? "\",\"opt\":true,\"at\":" : "\",\"at\":")
            head.timestamp(time)
            if let origin {
                head.literal(",\"by\":")
                head.origin(origin)
            }
            head.literal(",\"d\":")
        }
        payload(&writer)
        writer.raw("}")
        let length = writer.bytes.count - start
        precondition(length < lineLimit, "a journal line is longer than its limit")
        chain = writer.bytes.withUnsafeBytes { bytes in
            LineFormat.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...]), seed: chain)
        }
        LineFormat.put(chain, into: &writer.bytes, lineAt: start)
        writer.raw("\n")
        next += 1
        return sequence
    }

    /// Ends the running batch and begins the next.
    ///
    /// - Returns: The bytes of the batch.
    mutating func takeBatch() -> [UInt8] {
        let bytes = writer.bytes
        writer = JSONWriter(capacity: min(max(bytes.count, 1 << 12), 1 << 20))
        batch = next
        return bytes
    }

    /// Continues after a line that was written elsewhere.
    mutating func resume(at next: SequenceNumber, chain: UInt32) {
        precondition(isEmpty, "a writer that has a batch cannot continue elsewhere")
        self.next = next
        self.chain = chain
        batch = next
    }

    /// Begins the next batch, after the running one was written and synced.
    mutating func beginBatch() {
        // The memory of one huge batch is not kept for ever.
        if writer.bytes.capacity > 1 << 22 {
            writer = JSONWriter(capacity: 1 << 16)
        } else {
            writer.removeAll()
        }
        batch = next
    }

    /// Begins a new segment: its first line continues from nothing.
    mutating func beginSegment() {
        precondition(isEmpty, "a segment begins between two batches")
        chain = 0
    }
}

extension StackText {
    /// Appends the client that caused a record.
    mutating func origin(_ origin: Origin) {
        if let client = origin.client {
            literal("{\"client\":")
            string(client.string)
            literal(",\"conn\":")
        } else {
            literal("{\"conn\":")
        }
        large(origin.connection)
        literal(",\"req\":")
        large(origin.request)
        if let trace = origin.trace {
            literal(",\"trace\":")
            string(trace.string)
        }
        literal(",\"uid\":")
        decimal(UInt64(origin.uid))
        literal("}")
    }

    /// Appends the type of a line.
    mutating func word(_ word: String) {
        for byte in word.utf8 {
            precondition(LineFormat.isLetter(byte), "'\(word)' cannot be the type of a line")
            self.byte(byte)
        }
    }

    /// Appends a number; one that `jq` would round is written as a string.
    mutating func large(_ number: UInt64) {
        guard number >= LineFormat.sequenceLimit else { return decimal(number) }
        byte(UInt8(ascii: "\""))
        decimal(number)
        byte(UInt8(ascii: "\""))
    }

    /// Appends an identifier in quotation marks.
    mutating func identifier(_ identifier: UniqueID) {
        raw(identifier.quoted.span)
    }

    /// Appends a timestamp in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        raw(time.quoted.span)
    }

    /// Appends a country in quotation marks.
    mutating func country(_ country: CountryCode) {
        byte(UInt8(ascii: "\""))
        byte(country.first)
        byte(country.second)
        byte(UInt8(ascii: "\""))
    }
}

extension JSONWriter {
    /// Appends the client that caused a record.
    mutating func origin(_ origin: Origin) {
        onStack { $0.origin(origin) }
    }

    /// Appends an identifier in quotation marks.
    mutating func identifier(_ identifier: UniqueID) {
        raw(identifier.quoted.span)
    }

    /// Appends a timestamp in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        raw(time.quoted.span)
    }

    /// Appends a country in quotation marks.
    mutating func country(_ country: CountryCode) {
        raw("\"")
        country.append(to: &bytes)
        raw("\"")
    }
}
