/// The records of transactions, packed into blocks of plain bytes.
///
/// A record is an entry of fixed size, which searches read, and a packed part of variable length. A
/// `Transaction` with its texts and references exists only while it is in use. A copy of the table
/// shares the blocks; a change then copies the block of one record, about 15 KiB.
struct TransactionTable: Sendable {
    /// The properties of a record that are found without reading its packed part.
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        /// The transaction is in the queue.
        static let live = Marks(rawValue: 1)
        /// The record has a transaction. Without this mark it is free, or has an order only.
        static let transaction = Marks(rawValue: 2)
        /// The packed part begins with an order.
        static let order = Marks(rawValue: 4)
        /// The order became a purchase by this transaction.
        static let owner = Marks(rawValue: 8)
        /// The order was last restored by this transaction.
        static let restorer = Marks(rawValue: 16)
    }

    private struct Entry: Sendable {
        var id: TransactionID
        /// The offset of the packed part. It ends at the start of the next one.
        var start: UInt32
        var marks: Marks
    }

    private struct Block: Sendable {
        var entries: [Entry] = []
        var bytes: [UInt8] = []

        func range(of index: Int) -> Range<Int> {
            let end = index + 1 < entries.count ? Int(entries[index + 1].start) : bytes.count
            return Int(entries[index].start)..<end
        }

        /// The number of bytes that a full block keeps free for growth.
        private var spareBytes: Int { max(64, bytes.count / 96) }
        /// The number of bytes, including those for growth.
        var roomyCount: Int { bytes.count + spareBytes }

        /// Releases the excess memory of the array, which doubles its capacity while records are
        /// added.
        mutating func trim() {
            guard bytes.capacity > bytes.count + 2 * spareBytes else { return }
            var exact: [UInt8] = []
            exact.reserveCapacity(bytes.count + spareBytes)
            exact += bytes
            bytes = exact
        }

        /// Replaces the packed part of a record and moves the later ones.
        mutating func replace(_ index: Int, with packed: [UInt8]) {
            let range = range(of: index)
            let growth = packed.count - range.count
            if entries.count == TransactionTable.blockSize, bytes.count + growth > bytes.capacity {
                // Without this, the array would double its capacity, and half of it would often
                // stay unused.
                bytes.reserveCapacity(bytes.count + growth + spareBytes)
            }
            // The last record has no later records to move.
            guard index + 1 < entries.count || range.lowerBound < bytes.count else {
                return bytes.append(contentsOf: packed)
            }
            bytes.replaceSubrange(range, with: packed)
            guard growth != 0 else { return }
            for later in entries.indices[(index + 1)...] {
                entries[later].start = UInt32(Int(entries[later].start) + growth)
            }
        }
    }

    fileprivate static let blockSize = 128
    private var blocks: [Block] = []
    private var used = 0
    private var free: [Int32] = []
    private var shared = SharedValues()
    /// The packed part of the record that is being stored. It is kept to reuse its memory.
    private var packed = PackedBytes()

    /// Adds a record and returns its place.
    mutating func insert(_ record: TransactionRecord) -> Int32 {
        let place = reserve(record.transaction.id)
        self[place] = record
        return place
    }

    /// Adds the record of a waiting transaction and returns its place.
    mutating func insert(
        _ plain: PlainTransaction, _ values: PackedValues, of batch: PlainBatch, position: UInt64
    ) -> Int32 {
        let place = reserve(plain.id)
        let client = plain.author?.client.map { batch.clients[Int($0)] }
        let number = shared.numberOfClient(client)
        let most = OutputSpan<UInt8>.mostBytes(of: plain, client)
        change(place) { block, index in
            block.entries[index].marks = [.live, .transaction]
            // Most records are written directly to their place, after the previous record.
            guard index + 1 == block.entries.count, block.range(of: index).isEmpty,
                block.bytes.capacity - block.bytes.count >= most
            else {
                let packed = [UInt8](capacity: most) {
                    $0.append(plain, values, client, number, of: batch, position: position)
                }
                return block.replace(index, with: packed)
            }
            block.bytes.append(addingCapacity: most) {
                $0.append(plain, values, client, number, of: batch, position: position)
            }
        }
        return place
    }

    /// Assigns numbers to the product and the account that transactions share.
    mutating func packedValues(_ product: RecordedProduct, _ account: AccountName?) -> PackedValues
    {
        PackedValues(
            product: shared.products.number(of: product), country: product.country,
            account: account.map { shared.accounts.number(of: $0) })
    }

    /// Adds an order whose transaction has no record, and returns its place.
    mutating func insert(_ order: OrderID, of id: TransactionID) -> Int32 {
        let place = reserve(id)
        reduce(place, to: order)
        return place
    }

    /// Removes everything of a record except its id, its order and the marks of its order.
    mutating func reduce(_ place: Int32, to order: OrderID) {
        var packed = PackedBytes()
        packed.append(order.value)
        change(place) { block, index in
            block.entries[index].marks.subtract([.live, .transaction])
            block.entries[index].marks.insert(.order)
            block.replace(index, with: packed.bytes)
        }
    }

    /// Removes a record; its place can be reused.
    mutating func remove(_ place: Int32) {
        change(place) { block, index in
            block.entries[index].marks = []
            block.replace(index, with: [])
        }
        free.append(place)
    }

    /// The record at a place, which must have a transaction.
    subscript(place: Int32) -> TransactionRecord {
        get {
            let (block, index) = find(place)
            let entry = block.entries[index]
            precondition(entry.marks.contains(.transaction), "place \(place) is not in use")
            var reader = PackedReader(block.bytes, from: block.range(of: index).lowerBound)
            return reader.record(
                entry.id, hasOrder: entry.marks.contains(.order), sharing: shared)
        }
        set {
            packed.removeAll()
            packed.append(newValue, sharing: &shared)
            let bytes = packed.bytes
            var marks: Marks = newValue.isLive ? [.live, .transaction] : .transaction
            if newValue.transaction.order != nil { marks.insert(.order) }
            change(place) { block, index in
                let kept = block.entries[index].marks.intersection([.owner, .restorer])
                block.entries[index].marks = marks.union(kept)
                block.replace(index, with: bytes)
            }
        }
    }

    /// The beginning of the record at a place, which must have a transaction.
    func glance(at place: Int32) -> TransactionGlance {
        let (block, index) = find(place)
        let marks = block.entries[index].marks
        precondition(marks.contains(.transaction), "place \(place) is not in use")
        var reader = PackedReader(block.bytes, from: block.range(of: index).lowerBound)
        return reader.glance(hasOrder: marks.contains(.order), sharing: shared)
    }

    /// The identifier of the transaction at a place.
    func id(at place: Int32) -> TransactionID {
        entry(at: place).id
    }

    /// Whether a place has a transaction that is in the queue.
    func isLive(_ place: Int32) -> Bool { marks(of: place).contains(.live) }

    /// The marks of a place; empty if it is free.
    func marks(of place: Int32) -> Marks {
        entry(at: place).marks
    }

    /// Sets or removes a mark of the order of a place.
    mutating func mark(_ place: Int32, _ mark: Marks, _ isSet: Bool) {
        change(place) { block, index in
            if isSet {
                block.entries[index].marks.insert(mark)
            } else {
                block.entries[index].marks.remove(mark)
            }
        }
    }

    /// The order of a place; nil if it has none.
    func order(at place: Int32) -> OrderID? {
        let (block, index) = find(place)
        guard block.entries[index].marks.contains(.order) else { return nil }
        var reader = PackedReader(block.bytes, from: block.range(of: index).lowerBound)
        return OrderID(reader.identifier())
    }

    /// Whether the transaction at a place has an idempotency key.
    func hasKey(_ key: OpaqueText, at place: Int32) -> Bool {
        let (block, index) = find(place)
        let order = block.entries[index].marks.contains(.order) ? 16 : 0
        var packed = PackedBytes()
        packed.append(key)
        return block.bytes[(block.range(of: index).lowerBound + order)...]
            .starts(with: packed.bytes)
    }

    /// Whether two transactions have the same idempotency key.
    func hasKey(of other: Int32, at place: Int32) -> Bool {
        guard let key = self[other].key else { return false }
        return hasKey(key, at: place)
    }

    /// The places with all of these marks, in ascending order.
    func places(with marks: Marks) -> [Int32] {
        (0..<Int32(used)).filter { self.marks(of: $0).isSuperset(of: marks) }
    }

    /// The bytes that the records occupy, for tests.
    var allocatedBytes: Int {
        blocks.reduce(blocks.capacity * MemoryLayout<Block>.stride) {
            $0 + $1.entries.capacity * MemoryLayout<Entry>.stride + $1.bytes.capacity
        }
    }

    private mutating func reserve(_ id: TransactionID) -> Int32 {
        // The generic `popLast` is slow, even on an empty array.
        if !free.isEmpty, let place = free.popLast() {
            change(place) { block, index in block.entries[index].id = id }
            return place
        }
        if used % Self.blockSize == 0 {
            var block = Block()
            block.entries.reserveCapacity(Self.blockSize)
            if !blocks.isEmpty {
                blocks[blocks.count - 1].trim()
                // Consecutive records have similar sizes.
                block.bytes.reserveCapacity(blocks[blocks.count - 1].roomyCount)
            }
            blocks.append(block)
        }
        let block = used / Self.blockSize
        blocks[block].entries.append(
            Entry(id: id, start: UInt32(blocks[block].bytes.count), marks: []))
        used += 1
        return Int32(used - 1)
    }

    /// The entry of a place. It is read in place, because a copy of its block would count two
    /// references.
    private func entry(at place: Int32) -> Entry {
        let blocks = blocks.span
        let entries = blocks[Int(place) / Self.blockSize].entries.span
        return entries[Int(place) % Self.blockSize]
    }

    private func find(_ place: Int32) -> (block: Block, index: Int) {
        (blocks[Int(place) / Self.blockSize], Int(place) % Self.blockSize)
    }

    private mutating func change(_ place: Int32, _ body: (inout Block, Int) -> Void) {
        body(&blocks[Int(place) / Self.blockSize], Int(place) % Self.blockSize)
    }
}

/// The values that many records share, by number.
struct SharedValues: Sendable {
    /// Values with their numbers. Values are never removed.
    struct Numbers<Value: Hashable & Sendable>: Sendable {
        private var values: [Value] = []
        private var numbers: [Value: Int] = [:]
        /// The number of the last result. Most records have the same values as the previous record.
        private var newest = 0

        subscript(number: Int) -> Value { values[number] }

        /// The number of a value; nil if it would be above the limit.
        mutating func number(of value: Value, limit: Int) -> Int? {
            if newest < values.count, values[newest] == value { return newest }
            if let known = numbers[value] {
                newest = known
                return known
            }
            guard values.count < limit else { return nil }
            values.append(value)
            newest = values.count - 1
            numbers[value] = newest
            return newest
        }

        /// The number of a value, without a limit.
        mutating func number(of value: Value) -> UInt64 {
            guard let number = number(of: value, limit: .max) else {
                preconditionFailure("the list has no limit")
            }
            return UInt64(number)
        }
    }

    /// The recorded products, which the queue never forgets either.
    var products = Numbers<RecordedProduct>()
    /// The accounts, which the queue never forgets either.
    var accounts = Numbers<AccountName>()
    /// The names of the first clients. Later names are stored in the records, so that clients
    /// cannot make this list grow without limit.
    var clients = Numbers<OpaqueText>()

    /// The number of client names that are shared.
    private static let clientLimit = 1024
    /// The number that stands for a client whose name is not shared, but follows in the record.
    static let otherClient: UInt64 = 1

    /// The number that stands for the name of a client in a record. Without a name it is 0.
    mutating func numberOfClient(_ name: OpaqueText?) -> UInt64 {
        guard let name else { return 0 }
        return clients.number(of: name, limit: Self.clientLimit).map { UInt64($0 + 2) }
            ?? Self.otherClient
    }
}
