/// A transaction and what the queue knows of it, from `add` until `forgotten`, long after it left the queue.
struct TransactionRecord: Sendable {
    /// The latest snapshot.
    var transaction: Transaction
    /// The idempotency key that it was added with.
    var key: OpaqueText?
    /// The last of its records that observers are told of.
    var lastEvent: SequenceNumber
    /// Its place in the order of acceptance; never shared, never reused within a process.
    var position: UInt64
    /// The user whose call made it; nil where no client did.
    var user: UInt32?
    /// Set when it has left the queue.
    var finished: Finish? {
        get { ending?.finish }
        set { ending = newValue.map { Ending($0) } }
    }
    /// Behind a reference, because the table keeps room for it in each record and few have one.
    private var ending: Ending?

    private final class Ending: Sendable {
        let finish: Finish

        init(_ finish: Finish) {
            self.finish = finish
        }
    }

    init(
        transaction: Transaction, key: OpaqueText?, lastEvent: SequenceNumber, position: UInt64,
        user: UInt32?, finished: Finish?
    ) {
        self.transaction = transaction
        self.key = key
        self.lastEvent = lastEvent
        self.position = position
        self.user = user
        self.finished = finished
    }

    /// Whether it is still in the queue.
    var isLive: Bool { ending == nil }
}

/// How a transaction left the queue.
public struct Finish: Sendable, Hashable {
    /// When.
    public var time: Timestamp
    /// Why.
    public var reason: RemovalReason
    /// The client that caused it; nil if none did.
    public var origin: Origin?

    /// Makes the note.
    public init(time: Timestamp, reason: RemovalReason, origin: Origin?) {
        self.time = time
        self.reason = reason
        self.origin = origin
    }
}

/// Records in blocks of fixed size: growing copies nothing, and a snapshot copies a block when the
/// first record of it changes.
struct TransactionTable: Sendable {
    private static let blockSize = 1024
    private var blocks: [[TransactionRecord?]] = []
    private var used = 0
    private var free: [Int32] = []

    /// Adds a record and returns its place.
    mutating func insert(_ stored: TransactionRecord) -> Int32 {
        if let place = free.popLast() {
            self[place] = stored
            return place
        }
        let place = Int32(used)
        if used % Self.blockSize == 0 {
            var block: [TransactionRecord?] = []
            block.reserveCapacity(Self.blockSize)
            blocks.append(block)
        }
        blocks[used / Self.blockSize].append(stored)
        used += 1
        return place
    }

    /// Removes a record; a later one takes its place.
    mutating func remove(_ place: Int32) {
        blocks[Int(place) / Self.blockSize][Int(place) % Self.blockSize] = nil
        free.append(place)
    }

    /// The element at a place; the place must be in use.
    subscript(place: Int32) -> TransactionRecord {
        get {
            guard let stored = at(place) else {
                preconditionFailure("place \(place) is not in use")
            }
            return stored
        }
        _modify {
            let block = Int(place) / Self.blockSize
            let offset = Int(place) % Self.blockSize
            guard var stored = blocks[block][offset].take() else {
                preconditionFailure("place \(place) is not in use")
            }
            defer { blocks[block][offset] = stored }
            yield &stored
        }
        set { blocks[Int(place) / Self.blockSize][Int(place) % Self.blockSize] = newValue }
    }

    /// The element at a place, if there is one.
    func at(_ place: Int32) -> TransactionRecord? {
        blocks[Int(place) / Self.blockSize][Int(place) % Self.blockSize]
    }
}
