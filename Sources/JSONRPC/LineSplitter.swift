import StrictJSON

/// A splitter of a byte stream into lines. It tolerates lines beyond its limit.
///
/// The splitter holds no bytes. The caller keeps the received bytes in one buffer and calls `next`.
/// After each step it removes `consumed` bytes from the front, until the step is `needMore`. Each
/// byte is examined once, however small the pieces are. Only LF ends a line; one CR before it
/// belongs to the line ending.
public struct LineSplitter: Sendable {
    /// The next step of the caller. All steps but `needMore` consume bytes from the front.
    public enum Step: Sendable, Hashable {
        /// A non-blank line: process the bytes of the range, which excludes the line ending.
        case line(Range<Int>, consumed: Int)
        /// The end of a line beyond the limit: refuse the line once.
        case tooLong(consumed: Int)
        /// A blank line, or a piece of a line beyond the limit: ignore it.
        case skip(consumed: Int)
        /// No complete line; at the end of the input, no bytes are left.
        case needMore
    }

    /// The longest line in bytes, without its ending.
    public var limitBytes: Int

    /// The number of bytes at the front that contain no LF.
    private var searched = 0

    /// True from the discovery of a line beyond the limit until its end.
    private var isDropping = false

    /// Creates a splitter at the start of a stream.
    ///
    /// - Parameter limitBytes: The longest line in bytes, at least 1.
    public init(limitBytes: Int) {
        precondition(limitBytes >= 1, "a line limit is at least one byte")
        self.limitBytes = limitBytes
    }

    /// True if a line has begun and not yet ended.
    ///
    /// - Parameter remaining: The number of unconsumed bytes of the caller.
    /// - Returns: False between lines.
    public func isInsideLine(remaining: Int) -> Bool {
        isDropping || remaining > 0
    }

    /// Determines the next step.
    ///
    /// The caller never has to keep more than `limitBytes + 1` bytes. A longer unfinished line is
    /// returned piecewise as `skip`.
    ///
    /// - Parameters:
    ///   - bytes: All received and unconsumed bytes.
    ///   - atEnd: True at the end of the stream; an unterminated line is then returned.
    /// - Returns: The next step.
    public mutating func next(in bytes: Span<UInt8>, atEnd: Bool) -> Step {
        guard let end = firstOffset(of: UInt8(ascii: "\n"), in: bytes, from: searched) else {
            return atEnd ? lastStep(in: bytes) : unfinished(bytes)
        }
        return step(in: bytes, lineEnd: end, consumed: end + 1)
    }

    /// The step for a line that ends at an offset.
    private mutating func step(in bytes: Span<UInt8>, lineEnd: Int, consumed: Int) -> Step {
        searched = 0
        if isDropping {
            isDropping = false
            return .tooLong(consumed: consumed)
        }
        let hasReturn = lineEnd > 0 && bytes[lineEnd - 1] == UInt8(ascii: "\r")
        let end = hasReturn ? lineEnd - 1 : lineEnd
        if end > limitBytes { return .tooLong(consumed: consumed) }
        return isBlank(bytes, end) ? .skip(consumed: consumed) : .line(0..<end, consumed: consumed)
    }

    /// The step at the end of a stream without a final LF.
    private mutating func lastStep(in bytes: Span<UInt8>) -> Step {
        guard bytes.count > 0 || isDropping else { return .needMore }
        return step(in: bytes, lineEnd: bytes.count, consumed: bytes.count)
    }

    /// The step for an incomplete line.
    private mutating func unfinished(_ bytes: Span<UInt8>) -> Step {
        if !isDropping {
            // The byte beyond the limit may be the CR of a line of exactly the limit.
            let mayFit =
                bytes.count <= limitBytes
                || bytes.count == limitBytes + 1 && bytes[limitBytes] == UInt8(ascii: "\r")
            if mayFit {
                searched = bytes.count
                return .needMore
            }
            isDropping = true
        }
        searched = 0
        return bytes.count > 0 ? .skip(consumed: bytes.count) : .needMore
    }

    private func isBlank(_ bytes: Span<UInt8>, _ end: Int) -> Bool {
        for offset in 0..<end {
            switch bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
            default: return false
            }
        }
        return true
    }
}
