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
    private var queued: [ByteBuffer] = []
    /// The number of bytes that the channel has received and not written. A write counts as a whole until
    /// its last byte was written.
    private(set) var queuedBytes = 0

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

    /// Whether the channel has written everything that it received, so that bytes may go to the socket
    /// directly.
    var isWritten: Bool { queued.isEmpty }

    /// Whether no outgoing bytes are left and no commit is awaited.
    var isEmpty: Bool {
        !awaitsCommit && held.bytes.isEmpty && outgoing.bytes.isEmpty && queued.isEmpty
    }

    /// The number of bytes that it holds.
    var bytes: Int { held.bytes.count + outgoing.bytes.count + queuedBytes }

    /// Whether the bytes that wait for the peer have reached the limit. Bytes in the channel count too,
    /// so that the daemon holds at most the limit and one message for a peer that reads nothing.
    func isFull(limitBytes: Int) -> Bool {
        outgoing.bytes.count + queuedBytes >= limitBytes
    }

    /// Whether the bytes that wait for the peer have reached the limit for events, which is half of the
    /// whole limit. The other half is for replies. A peer that answers each event with a request can
    /// therefore be served while further events wait.
    func isFullOfEvents(limitBytes: Int) -> Bool {
        isFull(limitBytes: max(1, limitBytes / 2))
    }

    /// Whether enough bytes were written to resume: at most a quarter of the limit is still in the
    /// channel. Resuming for each byte that the peer reads would cost a system call each.
    func hasRoomAgain(limitBytes: Int) -> Bool {
        queuedBytes <= limitBytes / 4
    }

    /// Notes that the socket took bytes from the front of `outgoing`.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - limitBytes: The maximum memory that is kept for the next bytes.
    /// - Returns: The bytes that the socket did not take; nil if it took all.
    mutating func sent(_ count: Int, limitBytes: Int) -> ArraySlice<UInt8>? {
        let rest = count < outgoing.bytes.count ? outgoing.bytes[count...] : nil
        if rest == nil && outgoing.bytes.capacity <= limitBytes {
            outgoing.removeAll()
        } else {
            outgoing = JSONWriter()
        }
        return rest
    }

    /// Notes a write that was passed to the channel; ``wrote()`` follows.
    mutating func queue(_ buffer: ByteBuffer) {
        queued.append(buffer)
        queuedBytes += buffer.readableBytes
    }

    /// Notes that the channel has written the oldest of its buffers, or has closed.
    mutating func wrote() {
        queuedBytes -= queued.removeFirst().readableBytes
    }

    /// The bytes that the kernel has not taken.
    ///
    /// - Parameter waiting: The number of those bytes.
    /// - Returns: The bytes.
    func unsent(_ waiting: Int) -> [UInt8] {
        Array(queued.flatMap(\.readableBytesView).suffix(waiting))
    }
}
