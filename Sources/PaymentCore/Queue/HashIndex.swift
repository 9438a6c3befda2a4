/// Finds places in a ``TransactionTable`` by the hash of a key that the record contains.
///
/// A dictionary would store a second copy of each key, and hash all keys again whenever it grows.
/// This index stores eight bytes for each entry, half of them a part of the hash. Growing therefore
/// reads no key. A lookup reads a key only if the stored part matches, and then nearly always finds
/// the right entry.
///
/// The index has 256 parts. One insertion therefore stops the writer only while one part grows.
/// While a snapshot is written, a change copies one part and not the whole index. A part grows by a
/// quarter, so that at least 65 % of its cells are in use.
struct HashIndex: Sendable {
    private struct Part: Sendable {
        /// Cells of open addressing with linear probing; 0 is a free cell. The upper half of a cell
        /// is the part of the hash that gives the start of the search. The lower half is the place
        /// plus one.
        var cells: [UInt64] = []
        var used = 0
    }

    private static let smallestPart = 8
    private static let upperHalf: UInt64 = 0xFFFF_FFFF_0000_0000
    private var parts = [Part](repeating: Part(), count: 256)
    /// The number of entries.
    private(set) var count = 0

    /// The place that was inserted with a hash and that `isMatch` confirms; nil if there is none.
    ///
    /// - Complexity: One call of `isMatch` for a hit, and usually none for a miss.
    @inline(__always)
    func place(_ hash: UInt64, isMatch: (Int32) -> Bool) -> Int32? {
        let parts = parts.span
        let cells = parts[Self.part(of: hash)].cells.span
        guard !cells.isEmpty else { return nil }
        var index = Self.start(of: hash, among: cells.count)
        while cells[index] != 0 {
            let cell = cells[index]
            if cell >> 32 == hash >> 32, isMatch(Self.place(in: cell)) {
                return Self.place(in: cell)
            }
            index = Self.index(after: index, of: cells.count)
        }
        return nil
    }

    /// The bits of the cell where the search for a hash begins, and of a later one beyond which it hardly ever
    /// goes.
    @inline(__always)
    func firstCells(of hash: UInt64) -> UInt64 {
        let parts = parts.span
        let cells = parts[Self.part(of: hash)].cells.span
        guard !cells.isEmpty else { return 0 }
        let start = Self.start(of: hash, among: cells.count)
        return cells[start] | cells[min(start + Self.smallestPart - 1, cells.count - 1)]
    }

    /// Whether the places in some cells, whose bits are united, are all not negative.
    static func isCell(_ cells: UInt64) -> Bool { cells & 0x8000_0000 == 0 }

    /// Inserts a place. The caller ensures that it is not in the index yet.
    mutating func insert(_ place: Int32, _ hash: UInt64) {
        // No place is looked at, so the result is true.
        _ = insert(place, hash, unless: { _ in false })
    }

    /// Inserts a place unless one was inserted with the same hash that `isMatch` confirms.
    ///
    /// - Returns: Whether it was inserted.
    @inline(__always)
    mutating func insert(
        _ place: Int32, _ hash: UInt64, unless isMatch: (Int32) -> Bool
    ) -> Bool {
        precondition(place >= 0, "a place is not negative")
        let part = Self.part(of: hash)
        if (parts[part].used + 1) * 16 > parts[part].cells.count * 13 { Self.grow(&parts[part]) }
        let isNew = Self.put(
            hash & Self.upperHalf | UInt64(place + 1), into: &parts[part].cells, unless: isMatch)
        guard isNew else { return false }
        parts[part].used += 1
        count += 1
        return true
    }

    /// Removes a place that was inserted with the same hash.
    mutating func remove(_ place: Int32, _ hash: UInt64) {
        let part = Self.part(of: hash)
        let cell = hash & Self.upperHalf | UInt64(place + 1)
        precondition(parts[part].used > 0, "place \(place) is not in the index")
        var hole = Self.start(of: hash, among: parts[part].cells.count)
        while parts[part].cells[hole] != cell {
            precondition(parts[part].cells[hole] != 0, "place \(place) is not in the index")
            hole = Self.index(after: hole, of: parts[part].cells.count)
        }
        Self.close(hole, in: &parts[part].cells)
        parts[part].used -= 1
        count -= 1
    }

    private static func part(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash & 255)
    }

    /// The cell where the search for a hash begins: its upper half, scaled to the number of cells.
    private static func start(of hash: UInt64, among count: Int) -> Int {
        Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(count)) >> 32)
    }

    private static func index(after index: Int, of count: Int) -> Int {
        index + 1 == count ? 0 : index + 1
    }

    private static func place(in cell: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: cell & 0xFFFF_FFFF) - 1
    }

    @inline(__always)
    private static func put(
        _ cell: UInt64, into cells: inout [UInt64], unless isMatch: (Int32) -> Bool
    ) -> Bool {
        var cells = cells.mutableSpan
        var free = start(of: cell, among: cells.count)
        while cells[free] != 0 {
            if cells[free] >> 32 == cell >> 32, isMatch(place(in: cells[free])) { return false }
            free = index(after: free, of: cells.count)
        }
        cells[free] = cell
        return true
    }

    private static func grow(_ part: inout Part) {
        var larger = [UInt64](
            repeating: 0, count: max(smallestPart, part.cells.count * 5 / 4))
        for cell in part.cells where cell != 0 {
            _ = put(cell, into: &larger, unless: { _ in false })
        }
        part.cells = larger
    }

    /// Frees a cell and moves later cells that a search would not find any more.
    private static func close(_ freed: Int, in cells: inout [UInt64]) {
        var hole = freed
        var next = index(after: hole, of: cells.count)
        while cells[next] != 0 {
            let start = start(of: cells[next], among: cells.count)
            if distance(from: start, to: next, in: cells)
                >= distance(from: hole, to: next, in: cells)
            {
                cells[hole] = cells[next]
                hole = next
            }
            next = index(after: next, of: cells.count)
        }
        cells[hole] = 0
    }

    private static func distance(from first: Int, to last: Int, in cells: [UInt64]) -> Int {
        last >= first ? last - first : last - first + cells.count
    }

    /// The bytes that the cells occupy, for tests.
    var allocatedBytes: Int {
        parts.reduce(0) { $0 + $1.cells.capacity * MemoryLayout<UInt64>.stride }
    }
}

extension TransactionID {
    /// A hash of the identifier. The daemon generates identifiers at random, so that a client
    /// cannot choose them to collide. One multiplication spreads them.
    var spreadHash: UInt64 {
        let product = (value.low ^ value.high).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

extension OrderID {
    /// A hash of the identifier with a random seed of this process, because the store chooses it.
    var spreadHash: UInt64 {
        var hasher = Hasher()
        hasher.combine(value)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension OpaqueText {
    /// A hash of the text with a random seed of this process, because clients choose the text.
    var spreadHash: UInt64 {
        // SAFETY: all bytes of the text are initialized.
        Self.spreadHash(of: unsafe string.utf8.span.bytes)
    }

    /// The hash of a text with these bytes.
    static func spreadHash(of bytes: RawSpan) -> UInt64 {
        var hasher = Hasher()
        hash(bytes, into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
