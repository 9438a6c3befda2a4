import Glibc
import NIOCore
import StrictJSON

/// The outgoing bytes of a connection: replies that wait for a commit, bytes that may leave, and bytes
/// that the kernel has not taken.
///
/// When a turn is in flight to a log that answers later, its replies are kept apart from those of the
/// running turn.
struct OutputBuffer {
    /// The extent of a commit.
    enum Commit {
        /// The commit covers all waiting replies.
        case all
        /// The commit covers the turn in flight, and the running turn still collects replies.
        case sealed
    }

    /// Replies that wait for a commit.
    var held = JSONWriter()
    /// Bytes that may leave.
    var outgoing = JSONWriter()
    /// The number of bytes of `held` that belong to the turn in flight; nil if there is none.
    private var sealedBytes: Int?
    private var isInTurn = false
    /// The bytes that the socket did not take, in order.
    private var queued: [Rest] = []
    /// The bytes that the channel has received and not written, from the front of ``queued``.
    private var piece: ByteBuffer?
    /// The number of queued bytes. The bytes of one array count as a whole until the last was written,
    /// because they take memory until then.
    private(set) var queuedBytes = 0

    /// The maximum number of bytes that the channel receives at once, and of small outputs that are queued
    /// together. The queue is copied piece by piece as the peer reads, because a copy of megabytes would
    /// stop the loop for milliseconds. Larger pieces would leave little room for events while one of them
    /// is written in part.
    private static let pieceBytes = 16 * 1024
    /// The minimum number of bytes that are queued without a copy, and that connections share.
    private static let largeBytes = 64 * 1024

    /// Bytes of which the first have left.
    private struct Rest {
        var queued: QueuedBytes
        /// The number of bytes that have left, or are in the channel.
        var start: Int

        var count: Int { queued.bytes.count }
        var unsent: ArraySlice<UInt8> { queued.bytes[start...] }
    }

    /// Joins the running turn.
    ///
    /// - Returns: Whether the engine must be notified, because the connection had not joined before.
    mutating func joinTurn() -> Bool {
        guard !isInTurn else { return false }
        isInTurn = true
        return true
    }

    /// Notes that the turn was passed to a log that answers later.
    mutating func seal() {
        sealedBytes = held.bytes.count
        isInTurn = false
    }

    /// Releases the replies of the turn in flight, or of the running turn if none is in flight, because
    /// that turn is committed.
    mutating func commit() -> Commit {
        defer { sealedBytes = nil }
        if let sealedBytes, isInTurn {
            outgoing.bytes += held.bytes[..<sealedBytes]
            held.bytes.removeSubrange(..<sealedBytes)
            return .sealed
        }
        isInTurn = false
        if outgoing.bytes.isEmpty {
            swap(&outgoing, &held)
        } else {
            outgoing.raw(held.bytes)
        }
        held.removeAll()
        return .all
    }

    /// Whether the connection waits for a commit.
    var awaitsCommit: Bool { isInTurn || sealedBytes != nil }

    /// Whether all queued bytes were written, so that bytes may go to the socket directly.
    var isWritten: Bool { queued.isEmpty }

    /// Whether no outgoing bytes are left and no commit is awaited.
    var isEmpty: Bool {
        !awaitsCommit && held.bytes.isEmpty && outgoing.bytes.isEmpty && isWritten
    }

    /// The number of bytes that it holds.
    var bytes: Int { held.bytes.count + outgoing.bytes.count + queuedBytes }

    /// Whether the bytes that wait for the peer have reached the limit. Queued bytes count too, so that
    /// the daemon holds at most the limit and one message for a peer that reads nothing.
    func isFull(limitBytes: Int) -> Bool {
        outgoing.bytes.count + queuedBytes >= limitBytes
    }

    /// Whether the bytes that wait for the peer have reached the limit for events, which is half of the
    /// whole limit. The other half is for replies. A peer that answers each event with a request can
    /// therefore be served while further events wait.
    func isFullOfEvents(limitBytes: Int) -> Bool {
        isFull(limitBytes: max(1, limitBytes / 2))
    }

    /// Whether enough bytes were written to resume: at most a quarter of the limit is still queued.
    /// Resuming for each byte that the peer reads would cost a system call each.
    func hasRoomAgain(limitBytes: Int) -> Bool {
        queuedBytes <= limitBytes / 4
    }

    /// Notes that the socket took bytes from the front of `outgoing`, and queues the rest.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - limitBytes: The maximum memory that is kept for the next bytes.
    /// - Returns: The number of bytes that the socket did not take.
    mutating func sent(_ count: Int, limitBytes: Int) -> Int {
        let rest = outgoing.bytes.count - count
        if rest >= Self.largeBytes, 2 * rest >= outgoing.bytes.capacity {
            queuedBytes += outgoing.bytes.count
            queued.append(Rest(queued: QueuedBytes(outgoing.bytes), start: count))
            outgoing = JSONWriter()
            return rest
        }
        if rest > 0 { queue(outgoing.bytes[count...]) }
        if outgoing.bytes.capacity <= limitBytes {
            outgoing.removeAll()
        } else {
            outgoing = JSONWriter()
        }
        return rest
    }

    /// Queues a copy of bytes, together with the last queued bytes if those are few.
    private mutating func queue(_ bytes: ArraySlice<UInt8>) {
        queuedBytes += bytes.count
        if let last = queued.last, last.count + bytes.count <= Self.pieceBytes {
            last.queued.bytes += bytes
        } else {
            queued.append(Rest(queued: QueuedBytes(Array(bytes)), start: 0))
        }
    }

    /// Keeps the last queued bytes in the memory of those of another connection if both end equally, as the
    /// replies to one call of many connections do.
    ///
    /// - Parameter other: The last bytes of another connection.
    /// - Returns: Those that later replies may share; nil if they are few.
    mutating func shareLast(with other: QueuedBytes?) -> QueuedBytes? {
        guard let last = queued.last, last.unsent.count >= Self.largeBytes else { return nil }
        guard let other, other.ends(with: last.unsent) else { return last.queued }
        queuedBytes += other.bytes.count - last.count
        queued[queued.count - 1] = Rest(
            queued: other, start: other.bytes.count - last.unsent.count)
        return other
    }

    /// Takes the next bytes for the channel; ``wrote()`` follows. Nil if the channel still has bytes, or
    /// if none are queued.
    mutating func nextPiece(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        guard piece == nil, let first = queued.first else { return nil }
        let next = first.unsent.prefix(Self.pieceBytes)
        queued[0].start = next.endIndex
        piece = allocator.buffer(bytes: next)
        return piece
    }

    /// Notes that the channel has written its piece.
    mutating func wrote() {
        piece = nil
        guard let first = queued.first, first.unsent.isEmpty else { return }
        queuedBytes -= first.count
        queued.removeFirst()
    }

    /// The number of queued bytes that the channel has not received.
    var behindChannel: Int { queued.reduce(0) { $0 + $1.unsent.count } }

    /// The bytes that the kernel has not taken.
    ///
    /// - Parameter waiting: The number of those bytes that the channel has received.
    /// - Returns: The bytes.
    func unsent(_ waiting: Int) -> [UInt8] {
        var bytes = piece.map { Array($0.readableBytesView.suffix(waiting)) } ?? []
        for rest in queued { bytes += rest.unsent }
        return bytes
    }
}

/// Bytes that a socket did not take. Those of a large reply never change, so that several connections may
/// hold them.
final class QueuedBytes {
    fileprivate var bytes: [UInt8]

    fileprivate init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    fileprivate func ends(with other: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= other.count else { return false }
        return bytes.suffix(other.count).withUnsafeBytes { mine in
            other.withUnsafeBytes { other in
                guard let mine = mine.baseAddress, let theirs = other.baseAddress else {
                    return false
                }
                return memcmp(mine, theirs, other.count) == 0
            }
        }
    }
}
