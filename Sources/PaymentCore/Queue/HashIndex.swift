/// Finds places in a ``TransactionTable`` by the hash of a key that the record contains.
///
/// A dictionary would store a second copy of each key, and hash all keys again whenever it grows.
/// This index stores eight bytes for each entry, half of them a part of the hash. Growing therefore
/// reads no key. A lookup reads a key only if the stored part matches, and then nearly always finds
/// the right entry.
///
/// The index has 256 parts. One insertion therefore stops the writer only while one part grows.
/// While a snapshot is written, a change copies one part and not the whole index. A part grows by a
/// quarter, so that about 64 % of the cells of a large part are in use then.
///
/// The cells of a part are in the order of their hashes, with free cells between them. A search therefore ends
/// at the first larger hash, and a part grows by one pass from the first cell to the last.
struct HashIndex: Sendable {
    private struct Part: Sendable {
        /// Cells of open addressing with linear probing; 0 is a free cell. The upper half of a cell
        /// is the part of the hash that gives the start of the search. The lower half is the place
        /// plus one. The last cell is always free.
        var cells: [UInt64] = []
        /// The number of cells where a search can start. Further cells are behind them.
        var starts = 0
        var used = 0

        /// Whether enough cells stay free after this many more entries.
        func hasRoom(for entries: Int) -> Bool {
            Self.hasRoom(for: used + entries, among: starts)
        }

        static func hasRoom(for entries: Int, among starts: Int) -> Bool {
            entries * 16 <= starts * 13
        }
    }

    /// Places that are inserted together. Single insertions would wait for the memory, because each needs
    /// cells that are not in the processor's cache.
    struct Collected: Sendable {
        fileprivate var parts = [[UInt64]](repeating: [], count: HashIndex.partCount)
        private(set) var count = 0

        /// Adds a place and the hash of its key.
        mutating func add(_ place: Int32, _ hash: UInt64) {
            parts[HashIndex.part(of: hash)].append(HashIndex.cell(place, hash))
            count += 1
        }
    }

    private static let partCount = 256
    private static let smallestPart = 8
    /// The number of cells behind those where a search can start. Entries hardly ever need more.
    private static func furtherCells(_ starts: Int) -> Int { 4 + starts / 64 }

    private var parts = [Part](repeating: Part(), count: partCount)
    /// The number of entries.
    private(set) var count = 0

    /// The place that was inserted with a hash and that `isMatch` confirms; nil if there is none.
    ///
    /// - Complexity: One call of `isMatch` for a hit, and usually none for a miss.
    @inline(__always)
    func place(_ hash: UInt64, isMatch: (Int32) -> Bool) -> Int32? {
        let parts = parts.span
        let part = Self.part(of: hash)
        let cells = parts[part].cells.span
        guard !cells.isEmpty else { return nil }
        var index = Self.start(of: hash, among: parts[part].starts)
        while cells[index] != 0, cells[index] >> 32 <= hash >> 32 {
            let cell = cells[index]
            if cell >> 32 == hash >> 32, isMatch(Self.place(in: cell)) {
                return Self.place(in: cell)
            }
            index += 1
        }
        return nil
    }

    /// Inserts a place. The caller ensures that it is not in the index yet.
    mutating func insert(_ place: Int32, _ hash: UInt64) {
        // No place is compared, so the result is always true.
        _ = insert(place, hash, unless: { _ in false })
    }

    /// Inserts a place unless one was inserted with the same hash that `isMatch` confirms.
    ///
    /// - Returns: Whether it was inserted.
    @inline(__always)
    mutating func insert(
        _ place: Int32, _ hash: UInt64, unless isMatch: (Int32) -> Bool
    ) -> Bool {
        let part = Self.part(of: hash)
        guard Self.insert(Self.cell(place, hash), into: &parts[part], unless: isMatch) else {
            return false
        }
        count += 1
        return true
    }

    /// Inserts collected places, part by part, so that the cells stay in the processor's cache.
    ///
    /// - Parameters:
    ///   - collected: The places.
    ///   - isSame: Compares the keys of a place that was inserted before and of a collected one; called if the
    ///     stored parts of their hashes agree.
    /// - Returns: False if one of the places is not new. Others may be missing then.
    mutating func insert(
        _ collected: Collected, isSame: (_ inserted: Int32, _ new: Int32) -> Bool
    ) -> Bool {
        for (part, cells) in collected.parts.enumerated() where !cells.isEmpty {
            Self.grow(&parts[part], by: cells.count)
            for cell in cells {
                guard
                    Self.insert(
                        cell, into: &parts[part], unless: { isSame($0, Self.place(in: cell)) })
                else { return false }
            }
            count += cells.count
        }
        return true
    }

    /// Removes a place that was inserted with the same hash.
    mutating func remove(_ place: Int32, _ hash: UInt64) {
        let part = Self.part(of: hash)
        Self.remove(Self.cell(place, hash), from: &parts[part])
        count -= 1
    }

    fileprivate static func part(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash % UInt64(partCount))
    }

    /// The cell where the search for a hash begins: its upper half, scaled to the number of cells.
    @inline(__always)
    private static func start(of hash: UInt64, among count: Int) -> Int {
        Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(count)) >> 32)
    }

    fileprivate static func cell(_ place: Int32, _ hash: UInt64) -> UInt64 {
        precondition(place >= 0, "a place is not negative")
        return hash & 0xFFFF_FFFF_0000_0000 | UInt64(place + 1)
    }

    private static func place(in cell: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: cell & 0xFFFF_FFFF) - 1
    }

    @inline(__always)
    private static func insert(
        _ cell: UInt64, into part: inout Part, unless isMatch: (Int32) -> Bool
    ) -> Bool {
        // The last cell must stay free.
        if !part.hasRoom(for: 1) || part.cells[part.cells.count - 2] != 0 {
            grow(&part, to: nextStarts(part.starts))
        }
        var index = start(of: cell, among: part.starts)
        var cells = part.cells.mutableSpan
        while cells[index] != 0, cells[index] >> 32 <= cell >> 32 {
            if cells[index] >> 32 == cell >> 32, isMatch(place(in: cells[index])) {
                return false
            }
            index += 1
        }
        // Cells with larger hashes move on, up to the next free one.
        var moved = cell
        while moved != 0 {
            swap(&moved, &cells[index])
            index += 1
        }
        part.used += 1
        return true
    }

    private static func nextStarts(_ starts: Int) -> Int { max(smallestPart, starts * 5 / 4) }

    /// Makes room for more entries at once.
    private static func grow(_ part: inout Part, by entries: Int) {
        var starts = part.starts
        while !Part.hasRoom(for: part.used + entries, among: starts) { starts = nextStarts(starts) }
        if starts > part.starts { grow(&part, to: starts) }
    }

    private static func grow(_ part: inout Part, to starts: Int) {
        var larger = [UInt64](repeating: 0, count: starts + furtherCells(starts))
        var end = 0
        for cell in part.cells {
            end = max(end, start(of: cell, among: starts))
            // Two cells stay free behind the last one: one for the next entry.
            if end + 2 >= larger.count, cell != 0 {
                // Without this the array would double itself.
                if larger.count == larger.capacity {
                    larger.reserveCapacity(end + furtherCells(starts))
                }
                larger.append(0)
            }
            larger[end] = cell
            // A free cell is overwritten. Whether a cell is free is hard to predict, so nothing branches on it.
            end += cell == 0 ? 0 : 1
        }
        part.cells = larger
        part.starts = starts
    }

    /// Frees a cell and moves later cells that a search would not find any more.
    private static func remove(_ cell: UInt64, from part: inout Part) {
        precondition(part.used > 0, "a place is not in the index")
        var hole = start(of: cell, among: part.starts)
        while part.cells[hole] != cell {
            precondition(part.cells[hole] != 0, "a place is not in the index")
            hole += 1
        }
        // The last cell is always free, so the loop ends.
        while part.cells[hole + 1] != 0, start(of: part.cells[hole + 1], among: part.starts) <= hole
        {
            part.cells[hole] = part.cells[hole + 1]
            hole += 1
        }
        part.cells[hole] = 0
        part.used -= 1
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

    /// A hasher with the seed of this process. To copy it is faster than to create one.
    private static let emptyHasher = Hasher()

    /// The hash of a text with these bytes.
    static func spreadHash(of bytes: RawSpan) -> UInt64 {
        var hasher = emptyHasher
        hash(bytes, into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
