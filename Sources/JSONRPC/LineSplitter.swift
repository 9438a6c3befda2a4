import StrictJSON

/// Finds lines in bytes that arrive in pieces, and survives lines that are too long.
///
/// The splitter holds no bytes. The caller keeps what has arrived in one run, asks `next` about
/// it, drops `consumed` bytes from the front after each answer and asks again until the answer is
/// `needMore`. No byte is looked at twice, however small the pieces are. A line ends at LF and
/// nowhere else; one CR before the LF belongs to the ending, not to the line.
public struct LineSplitter: Sendable {
    /// The next step of the caller; every step but `needMore` consumes from the front of the bytes.
    public enum Step: Sendable, Hashable {
        /// A line that is not blank: serve the bytes in the range, without the line's ending.
        case line(Range<Int>, consumed: Int)
        /// A line was longer than the limit and has ended here: refuse it, once.
        case tooLong(consumed: Int)
        /// Nothing to serve: a blank line, or a piece of a line already known to be too long.
        case skip(consumed: Int)
        /// No line is complete yet; at the end of input, nothing is left.
        case needMore
    }

    /// The greatest number of bytes in a line, its ending not counted.
    public let limitBytes: Int

    /// The number of bytes at the front that are known to hold no LF.
    private var searched = 0

    /// True between the discovery that a line is too long and its end.
    private var isDropping = false

    /// A splitter at the start of its input.
    ///
    /// - Parameter limitBytes: The longest line to serve, at least 1.
    public init(limitBytes: Int) {
        precondition(limitBytes >= 1, "a line limit is at least one byte")
        self.limitBytes = limitBytes
    }

    /// True if a line has begun and not ended, so that its sender owes the rest of it.
    ///
    /// - Parameter remaining: The number of bytes that the caller still holds.
    /// - Returns: False between lines.
    public func isInsideLine(remaining: Int) -> Bool {
        isDropping || remaining > 0
    }

    /// Takes the next step.
    ///
    /// Beyond `limitBytes + 1` bytes the caller never has to keep any: a longer unfinished line is
    /// handed back as `skip` piece by piece.
    ///
    /// - Parameters:
    ///   - bytes: All that has arrived and was not consumed.
    ///   - atEnd: True if nothing more will arrive; an unterminated line is then served.
    /// - Returns: What to do.
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

    /// The step when the input has ended without another LF.
    private mutating func lastStep(in bytes: Span<UInt8>) -> Step {
        guard bytes.count > 0 || isDropping else { return .needMore }
        return step(in: bytes, lineEnd: bytes.count, consumed: bytes.count)
    }

    /// The step when the line goes on.
    private mutating func unfinished(_ bytes: Span<UInt8>) -> Step {
        if !isDropping {
            // One byte over the limit may be the CR of a line that just fits.
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
