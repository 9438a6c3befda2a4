import Glibc
import NIOCore

/// The end of a large reply that its peer has not read yet.
final class ReplyTail {
    let bytes: ByteBuffer

    fileprivate init(_ bytes: ByteBuffer) {
        self.bytes = bytes
    }

    /// The end of these bytes that equals other bytes, without a copy; nil if they differ.
    fileprivate func end(equalTo other: ArraySlice<UInt8>) -> ByteBuffer? {
        let start = bytes.writerIndex - other.count
        guard start >= bytes.readerIndex,
            let end = bytes.getSlice(at: start, length: other.count)
        else { return nil }
        let isEqual = end.withUnsafeReadableBytes { mine in
            other.withUnsafeBytes { other in
                guard let mine = mine.baseAddress, let theirs = other.baseAddress else {
                    return false
                }
                return memcmp(mine, theirs, other.count) == 0
            }
        }
        return isEqual ? end : nil
    }
}

/// The ends of large replies that peers have not read yet.
///
/// Replies to equal calls of many connections differ at most in their ids. Their ends share memory,
/// so that slow readers do not hold many copies of a page of megabytes.
struct ReplyTails {
    /// The shortest end that is shared, in bytes. A shorter one is copied for each connection.
    private static let leastBytes = 64 * 1024

    /// The last large end, which other replies may share while a connection holds it.
    private weak var last: ReplyTail?

    /// Returns the bytes for the channel, shared with an earlier reply if the bytes are equal.
    ///
    /// - Returns: The bytes, and their owner, which must be kept until the bytes are written.
    mutating func tail(
        _ bytes: ArraySlice<UInt8>, _ allocator: ByteBufferAllocator
    ) -> (bytes: ByteBuffer, owner: ReplyTail?) {
        guard bytes.count >= Self.leastBytes else { return (allocator.buffer(bytes: bytes), nil) }
        if let last, let shared = last.end(equalTo: bytes) { return (shared, last) }
        let tail = ReplyTail(allocator.buffer(bytes: bytes))
        last = tail
        return (tail.bytes, tail)
    }
}
