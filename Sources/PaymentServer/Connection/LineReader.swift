import JSONRPC
import NIOCore

/// Splits the bytes that a peer sends into lines, and holds those that have not been served.
struct LineReader {
    /// The result of a look at the bytes.
    enum Step {
        /// A complete line, without its ending.
        case line(ByteBuffer)
        /// A line beyond the limit has ended.
        case tooLong
        /// A blank line, or a piece of a line that is too long.
        case skipped
        /// No complete line is left.
        case more
    }

    private var input = ByteBuffer()
    private var splitter: LineSplitter
    private var linesEnded: UInt64 = 0
    /// Whether all that was received has been looked at, so that nothing can be served without more bytes.
    private(set) var isExhausted = true
    /// Whether the peer sends no more.
    private(set) var hasEnded = false
    /// Whether no bytes are read from the socket.
    var isPaused = false

    init(limitBytes: Int) {
        splitter = LineSplitter(limitBytes: limitBytes)
    }

    /// The longest line in bytes. A new limit holds for lines that are not served yet.
    var limitBytes: Int {
        get { splitter.limitBytes }
        set { splitter.limitBytes = newValue }
    }

    /// Takes bytes from the socket.
    mutating func received(_ bytes: inout ByteBuffer) {
        isExhausted = false
        if input.readableBytes == 0 {
            input = bytes
        } else {
            input.writeBuffer(&bytes)
        }
    }

    /// Takes the bytes that an earlier process had received.
    mutating func received(_ bytes: [UInt8]) {
        isExhausted = false
        input.writeBytes(bytes)
    }

    /// The peer sends no more; what it has sent of a line counts as a line.
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
            // A slice shares the bytes, so that what the line causes may change the input.
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

    /// Frees the memory of lines that were served, also for a peer that never pauses at the end of a line.
    mutating func dropServed() {
        if input.readableBytes == 0 {
            input = ByteBuffer()
        } else if input.readerIndex > splitter.limitBytes {
            input.discardReadBytes()
        }
    }

    /// How many bytes were received and not served.
    var unreadBytes: Int { input.readableBytes }

    /// The bytes that were received and not served.
    var unread: [UInt8] { Array(input.readableBytesView) }

    /// The memory of the input in bytes, served lines included.
    var capacityBytes: Int { input.capacity }

    /// Whether as much was received as a connection may hold without serving it.
    var isFull: Bool { input.readableBytes > splitter.limitBytes * 2 }

    /// Whether the peer is in the middle of a line that is too long, whose beginning is gone.
    var isInsideLongLine: Bool { splitter.isInsideLine(remaining: 0) }

    /// The number of the line that the peer has begun and must end, if nothing else is left to serve.
    var unfinishedLine: UInt64? {
        guard isExhausted, !hasEnded, !isPaused,
            splitter.isInsideLine(remaining: input.readableBytes)
        else { return nil }
        return linesEnded
    }
}
