/// A transaction with the queue's data about it, from `add` until `forgotten`, also after it left
/// the queue.
struct TransactionRecord: Sendable {
    /// The latest snapshot.
    var transaction: Transaction
    /// The idempotency key of the `add` call.
    var key: OpaqueText?
    /// The last of its records that observers receive.
    var lastEvent: SequenceNumber
    /// Its position in the order of acceptance; unique, never reused within a process.
    var position: UInt64
    /// The user whose call created it; nil without a client.
    var user: UInt32?
    /// The finish, set when the transaction has left the queue.
    var finished: Finish? {
        get { ending?.finish }
        set { ending = newValue.map { Ending($0) } }
    }
    /// A reference, because the table reserves memory for it in each record and few records have
    /// one.
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

    /// Whether the transaction is still in the queue.
    var isLive: Bool { ending == nil }
}

/// The removal of a transaction from the queue.
public struct Finish: Sendable, Hashable {
    /// The time of the removal.
    public var time: Timestamp
    /// The cause of the removal.
    public var reason: RemovalReason
    /// The client that caused the removal; nil if no client did.
    public var origin: Origin?

    /// Creates a finish.
    public init(time: Timestamp, reason: RemovalReason, origin: Origin?) {
        self.time = time
        self.reason = reason
        self.origin = origin
    }
}

/// Records in blocks of fixed size. Growing copies nothing, and during a snapshot a block is copied
/// only when one of its records changes.
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

    /// Removes a record; its place can be reused.
    mutating func remove(_ place: Int32) {
        blocks[Int(place) / Self.blockSize][Int(place) % Self.blockSize] = nil
        free.append(place)
    }

    /// The record at a place, which must be in use.
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

    /// The record at a place; nil if the place is free.
    func at(_ place: Int32) -> TransactionRecord? {
        blocks[Int(place) / Self.blockSize][Int(place) % Self.blockSize]
    }
}
