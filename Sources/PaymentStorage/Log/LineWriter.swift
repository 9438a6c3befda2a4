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
    private var lastTime = Timestamp(milliseconds: .min)
    private var lastTimeText: [UInt8] = []

    init(chain: UInt32, next: SequenceNumber, lineLimit: Int, capacity: Int = 1 << 16) {
        writer = JSONWriter(capacity: capacity)
        self.chain = chain
        self.next = next
        batch = next
        self.lineLimit = lineLimit
    }

    /// Whether the batch has no lines.
    var isEmpty: Bool { writer.bytes.isEmpty }

    /// The bytes of the batch. Let go of them before the next batch begins.
    var bytes: [UInt8] { writer.bytes }

    /// Appends a line.
    ///
    /// - Parameters:
    ///   - word: The type.
    ///   - time: When it was decided.
    ///   - origin: Who caused it, if a client did.
    ///   - isOptional: Whether a reader that does not know the word may pass over the line.
    ///   - payload: Appends one JSON object; the names in it are sorted.
    /// - Returns: The sequence number of the line.
    mutating func line(
        _ word: StaticString, time: Timestamp, origin: Origin?, isOptional: Bool = false,
        payload: (inout JSONWriter) -> Void
    ) -> SequenceNumber {
        let sequence = next
        precondition(
            sequence < LineFormat.sequenceLimit, "the journal ran out of sequence numbers")
        let start = writer.bytes.count
        writer.raw("{\"c\":\"00000000\",\"s\":")
        writer.integer(sequence)
        writer.raw(",\"b\":")
        writer.integer(batch)
        writer.raw(",\"t\":\"")
        writer.raw(word)
        writer.raw(isOptional ? "\",\"opt\":true,\"at\":\"" : "\",\"at\":\"")
        appendTime(time)
        writer.raw("\"")
        if let origin {
            writer.raw(",\"by\":")
            writer.origin(origin)
        }
        writer.raw(",\"d\":")
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

    /// Begins the next batch, after the running one was written and synced.
    mutating func beginBatch() {
        // One huge batch must not keep its room for ever.
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

    /// Lines of one batch mostly share their moment.
    private mutating func appendTime(_ time: Timestamp) {
        if time != lastTime {
            lastTimeText.removeAll(keepingCapacity: true)
            time.append(to: &lastTimeText)
            lastTime = time
        }
        writer.raw(lastTimeText)
    }
}

extension JSONWriter {
    /// Appends who caused a record. A number that `jq` would round is written as a string.
    mutating func origin(_ origin: Origin) {
        if let client = origin.client {
            raw("{\"client\":")
            string(client.string)
            raw(",\"conn\":")
        } else {
            raw("{\"conn\":")
        }
        large(origin.connection)
        raw(",\"req\":")
        large(origin.request)
        if let trace = origin.trace {
            raw(",\"trace\":")
            string(trace.string)
        }
        raw(",\"uid\":")
        integer(origin.uid)
        raw("}")
    }

    private mutating func large(_ number: UInt64) {
        if number < LineFormat.sequenceLimit {
            integer(number)
        } else {
            raw("\"")
            integer(number)
            raw("\"")
        }
    }

    /// Appends an identifier in quotation marks.
    mutating func identifier(_ identifier: UniqueID) {
        var text = InlineArray<38, UInt8>(repeating: UInt8(ascii: "\""))
        var position = 1
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                text[position] = UInt8(ascii: "-")
                position += 1
            }
            let half = index < 16 ? identifier.high : identifier.low
            let nibble = UInt32(truncatingIfNeeded: half >> UInt64(60 - 4 * (index & 15)))
            text[position] = LineFormat.hexDigit(nibble)
            position += 1
        }
        raw(text.span)
    }

    /// Appends a moment in quotation marks.
    mutating func timestamp(_ time: Timestamp) {
        raw("\"")
        time.append(to: &bytes)
        raw("\"")
    }

    /// Appends a country in quotation marks.
    mutating func country(_ country: CountryCode) {
        raw("\"")
        country.append(to: &bytes)
        raw("\"")
    }
}
