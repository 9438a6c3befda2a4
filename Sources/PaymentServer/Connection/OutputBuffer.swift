import NIOCore
import StrictJSON

/// The bytes of a connection on their way out: replies that wait for a commit, bytes that may leave, and
/// bytes that the kernel has not taken.
///
/// Replies that were written before a turn was handed to a log that answers later are apart from those of
/// the turn that collects meanwhile.
struct OutputBuffer {
    /// The extent of a commit.
    enum Commit {
        /// It covers everything that waited.
        case all
        /// It covers the turn that was handed over, and another one collects.
        case sealed
    }

    /// Replies that wait for a commit.
    var held = JSONWriter()
    /// Bytes that may leave.
    var outgoing = JSONWriter()
    /// How many bytes of `held` belong to the turn that was handed over, if one was.
    private var sealedBytes: Int?
    private var isInTurn = false
    private var queued: [ByteBuffer] = []
    /// How many bytes the channel has got and not written. A write counts whole until its last byte has left.
    private(set) var queuedBytes = 0

    /// Joins the running turn.
    ///
    /// - Returns: Whether the engine has to know of it, because nothing had joined before.
    mutating func joinTurn() -> Bool {
        guard !isInTurn else { return false }
        isInTurn = true
        return true
    }

    /// The turn was handed to a log that answers later.
    mutating func seal() {
        sealedBytes = held.bytes.count
        isInTurn = false
    }

    /// The turn that was handed over is committed, or the running one: its replies may leave.
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

    /// Whether anything waits for a commit.
    var awaitsCommit: Bool { isInTurn || sealedBytes != nil }

    /// Whether the channel has written all that it got, so that bytes may go to the socket directly.
    var isWritten: Bool { queued.isEmpty }

    /// Whether nothing is on its way out.
    var isEmpty: Bool {
        !awaitsCommit && held.bytes.isEmpty && outgoing.bytes.isEmpty && queued.isEmpty
    }

    /// How many bytes it holds.
    var bytes: Int { held.bytes.count + outgoing.bytes.count + queuedBytes }

    /// Whether as many bytes wait for the peer as a connection may hold. Bytes in the channel count too, so
    /// that a peer that reads nothing makes the daemon hold no more than the limit and one message.
    func isFull(limitBytes: Int) -> Bool {
        outgoing.bytes.count + queuedBytes >= limitBytes
    }

    /// Whether as many events wait for the peer as a connection may hold: half of what it may hold in all.
    /// The other half is for replies, so that a peer that answers each event with a request is read while
    /// further events wait.
    func isFullOfEvents(limitBytes: Int) -> Bool {
        isFull(limitBytes: max(1, limitBytes / 2))
    }

    /// Whether it is worth while to write more: resuming for each byte that the peer reads would cost a
    /// system call each.
    func hasRoomAgain(limitBytes: Int) -> Bool {
        queuedBytes <= limitBytes / 4
    }

    /// Notes that the socket took bytes from the front of `outgoing`.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - limitBytes: The greatest memory that is kept for the next bytes.
    /// - Returns: The bytes that it did not take; nil if it took all.
    mutating func sent(_ count: Int, limitBytes: Int) -> ArraySlice<UInt8>? {
        let rest = count < outgoing.bytes.count ? outgoing.bytes[count...] : nil
        if rest == nil && outgoing.bytes.capacity <= limitBytes {
            outgoing.removeAll()
        } else {
            outgoing = JSONWriter()
        }
        return rest
    }

    /// Notes a write that was handed to the channel; ``wrote()`` follows.
    mutating func queue(_ buffer: ByteBuffer) {
        queued.append(buffer)
        queuedBytes += buffer.readableBytes
    }

    /// The channel has written the oldest of its buffers, or closed.
    mutating func wrote() {
        queuedBytes -= queued.removeFirst().readableBytes
    }

    /// The bytes that the kernel has not taken.
    ///
    /// - Parameter waiting: How many they are.
    /// - Returns: The bytes.
    func unsent(_ waiting: Int) -> [UInt8] {
        Array(queued.flatMap(\.readableBytesView).suffix(waiting))
    }
}
