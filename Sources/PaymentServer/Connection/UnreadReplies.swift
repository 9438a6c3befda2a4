import PaymentCore

/// The bytes of replies that peers have not read, by user.
///
/// A connection may hold one reply beyond its output buffer, up to the length of a reply line. With many
/// connections, a user could fill the memory.
///
/// A user that holds more than its share therefore runs no further request until its peers have read, or
/// are disconnected because they read nothing. A user that holds nothing never waits. The answers of
/// calls that only read and are answered later wait in the same way.
struct UnreadReplies {
    /// The number of replies of the maximum length that all users together may hold.
    private static let repliesInAll = 8
    /// The number of bytes that a connection holds without being counted. Nearly all replies are shorter.
    private static let freeBytes = 64 * 1024

    private var bytes = Share()
    /// The bytes of partly answered batches, by user and by number of the connection.
    private var batches: [UInt32: [UInt64: Int]] = [:]
    /// The connections whose requests wait, in the order in which the wait began.
    private(set) var waiting: [Connection] = []
    /// The last large reply to a user without a share, while a connection holds it.
    private weak var lastReply: QueuedBytes?

    /// Counts the bytes that a connection holds now.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - before: The bytes that were counted before.
    ///   - whole: The bytes of its complete replies and of events.
    ///   - begun: The bytes of a partly answered batch.
    /// - Returns: The bytes that are counted now.
    mutating func count(
        _ connection: Connection, before: Int, whole: Int, begun: Int
    ) -> Int {
        let now = whole + begun > Self.freeBytes ? whole + begun : 0
        guard now > 0 || before > 0 else { return 0 }
        let (user, number) = (connection.user, connection.caller.number)
        if begun > 0, now > 0 {
            batches[user, default: [:]][number] = begun
        } else if batches[user]?.removeValue(forKey: number) != nil, batches[user]?.isEmpty == true
        {
            batches[user] = nil
        }
        bytes.take(max(now - before, 0), for: user)
        bytes.giveBack(max(before - now, 0), of: user)
        if now < before { wake() }
        return now
    }

    /// Keeps the queued reply of a connection in the memory of an equal one, if no share limits the memory
    /// of its user. Replies to other users are not compared: a comparison of megabytes delays everyone.
    mutating func shareMemory(of connection: Connection) {
        guard connection.server.limits.isExempt(connection.user) else { return }
        guard let reply = connection.output.shareLast(with: lastReply) else { return }
        lastReply = reply
    }

    /// Whether a connection may run its next request, or the next element of its batch.
    func admits(_ connection: Connection) -> Bool {
        guard bytes.held[connection.user] != nil else { return true }
        let (user, limits) = (connection.user, connection.server.limits)
        let number = limits.replyLineBytes * Self.repliesInAll
        if case .admitted = bytes.verdict(on: user, of: number, taking: 0, limits) { return true }
        guard !limits.isExempt(user) else { return true }
        // One batch of each user may always continue, unless complete replies take the memory. Otherwise
        // partly answered batches could wait for each other.
        guard let begun = batches[user], begun.keys.min() == connection.caller.number else {
            return false
        }
        let whole = (bytes.held[user] ?? 0) - begun.values.reduce(0, +)
        return whole <= limits.replyLineBytes
    }

    /// Adds a connection that waits for memory.
    mutating func wait(_ connection: Connection) {
        waiting.append(connection)
    }

    /// Forgets a connection that has closed.
    mutating func forget(_ connection: Connection) {
        waiting.removeAll { $0 === connection }
    }

    /// Resumes the connections that may run requests now.
    mutating func wake() {
        for connection in waiting where admits(connection) {
            connection.memory.isAwaited = false
            if !connection.isClosing { connection.offer() }
        }
        waiting.removeAll { !$0.memory.isAwaited }
    }
}

/// The part of a connection in the memory of its user.
struct MemoryPart {
    /// The counted bytes.
    var bytes = 0
    /// Whether its requests wait until its user holds less.
    var isAwaited = false
}

extension ServerCore {
    /// Counts the bytes of a connection in the memory of its user; 0 after the connection has closed.
    func countOutput(of connection: Connection) {
        let hasClosed = connection.isClosing && connections[connection.caller.number] == nil
        if hasClosed, connection.memory.isAwaited { unread.forget(connection) }
        let (before, output) = (connection.memory.bytes, connection.output.bytes)
        connection.memory.bytes = unread.count(
            connection, before: before, whole: hasClosed ? 0 : output,
            begun: hasClosed ? 0 : connection.requests.heldBytes)
    }

    /// Whether the memory of its user permits another request of a connection. If not, the requests of
    /// the connection wait. The last requests of a connection that closes or is handed over never wait.
    func hasMemory(for connection: Connection) -> Bool {
        guard connection.requests.closingLine == nil, !isHolding else { return true }
        guard !connection.memory.isAwaited else { return false }
        guard !unread.admits(connection) else { return true }
        connection.memory.isAwaited = true
        unread.wait(connection)
        return false
    }
}
