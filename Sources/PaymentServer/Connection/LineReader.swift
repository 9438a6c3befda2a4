import JSONRPC
import NIOCore

/// Splits the bytes that a peer sends into lines, and holds the bytes of lines that have not run.
struct LineReader {
    /// The result of one step over the bytes.
    enum Step {
        /// A complete line, without its ending.
        case line(ByteBuffer)
        /// A line that exceeds the limit has ended.
        case tooLong
        /// A blank line, or a piece of a line that is too long.
        case skipped
        /// No complete line is left.
        case more
    }

    private var input = ByteBuffer()
    private var splitter: LineSplitter
    private var linesEnded: UInt64 = 0
    /// Whether all received bytes were examined, so that no line can run without more bytes.
    private(set) var isExhausted = true
    /// Whether the peer has ended its input.
    private(set) var hasEnded = false
    /// Whether reading from the socket is paused.
    var isPaused = false

    init(limitBytes: Int) {
        splitter = LineSplitter(limitBytes: limitBytes)
    }

    /// The maximum length of a line in bytes. A new limit applies to lines that have not run yet.
    var limitBytes: Int {
        get { splitter.limitBytes }
        set { splitter.limitBytes = newValue }
    }

    /// Adds bytes from the socket.
    mutating func received(_ bytes: inout ByteBuffer) {
        isExhausted = false
        if input.readableBytes == 0 {
            input = bytes
        } else {
            input.writeBuffer(&bytes)
        }
    }

    /// Adds the bytes that an earlier process had received.
    mutating func received(_ bytes: [UInt8]) {
        isExhausted = false
        input.writeBytes(bytes)
    }

    /// Notes that the peer has ended its input. An unfinished line then counts as a line.
    mutating func inputEnded() {
        isExhausted = false
        hasEnded = true
    }

    /// Takes the next step.
    mutating func next() -> Step {
        let bytes = input
        switch splitter.next(in: bytes.readableBytesUInt8Span, atEnd: hasEnded) {
        case .line(let range, let consumed):
            linesEnded += 1
            // A slice shares the bytes, so that requests of the line may change the input.
            let line = input.getSlice(
                at: input.readerIndex + range.lowerBound, length: range.count)
            input.moveReaderIndex(forwardBy: consumed)
            return line.map { .line($0) } ?? .skipped
        case .tooLong(let consumed):
            linesEnded += 1
            input.moveReaderIndex(forwardBy: consumed)
            return .tooLong
        case .skip(let consumed):
            if !isInsideLongLine { linesEnded += 1 }
            input.moveReaderIndex(forwardBy: consumed)
            return .skipped
        case .needMore:
            isExhausted = true
            return .more
        }
    }

    /// Frees the memory of lines that have run, also if the peer's bytes never end with a complete
    /// line.
    mutating func dropServed() {
        if input.readableBytes == 0 {
            input = ByteBuffer()
        } else if input.readerIndex > splitter.limitBytes {
            input.discardReadBytes()
        }
    }

    /// The number of bytes that were received and have not run.
    var unreadBytes: Int { input.readableBytes }

    /// The bytes that were received and have not run.
    var unread: [UInt8] { Array(input.readableBytesView) }

    /// The memory of the input in bytes, including lines that have run.
    var capacityBytes: Int { input.capacity }

    /// Whether the received bytes have reached the limit that a connection may hold.
    var isFull: Bool { input.readableBytes > splitter.limitBytes * 2 }

    /// Whether the peer is sending a line that is too long, whose beginning was dropped.
    var isInsideLongLine: Bool { splitter.isInsideLine(remaining: 0) }

    /// The number of the line that the peer has begun and must complete; nil if other lines can still
    /// run.
    var unfinishedLine: UInt64? {
        guard isExhausted, !hasEnded, !isPaused,
            splitter.isInsideLine(remaining: input.readableBytes)
        else { return nil }
        return linesEnded
    }
}
