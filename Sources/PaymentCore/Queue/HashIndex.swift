/// Finds places in a ``TransactionTable`` by a hash of a key that the record itself holds.
///
/// A dictionary would keep a second copy of each key and hash it anew whenever it grows. This keeps
/// eight bytes for each entry, half of them a piece of the hash: growing reads no key, and a lookup
/// reads one only where that piece agrees, which is nearly always the entry looked for.
///
/// It is kept in 64 parts, so that no single insertion stops the writer for long while a part grows,
/// and a snapshot in the making costs the copy of a part and not of the whole.
struct HashIndex: Sendable {
    private struct Part: Sendable {
        /// Open addressing with linear probing; 0 is a free cell. The upper half of a cell is the
        /// piece of the hash that says where its search begins, the lower half the place plus one.
        var cells: [UInt64] = []
        var used = 0
    }

    private static let smallestPart = 16
    private static let upperHalf: UInt64 = 0xFFFF_FFFF_0000_0000
    private var parts = [Part](repeating: Part(), count: 64)
    /// The number of entries.
    private(set) var count = 0

    /// The place that was entered under a hash and that `isMatch` confirms.
    ///
    /// - Complexity: One call of `isMatch` for a hit and mostly none for a miss.
    @inline(__always)
    func place(_ hash: UInt64, isMatch: (Int32) -> Bool) -> Int32? {
        let cells = parts[Self.part(of: hash)].cells
        guard !cells.isEmpty else { return nil }
        let mask = cells.count - 1
        var index = Self.start(of: hash) & mask
        while cells[index] != 0 {
            let cell = cells[index]
            if cell >> 32 == hash >> 32, isMatch(Self.place(in: cell)) {
                return Self.place(in: cell)
            }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Enters a place. That it is not there yet is up to the caller.
    mutating func insert(_ place: Int32, _ hash: UInt64) {
        precondition(place >= 0, "a place is not negative")
        let part = Self.part(of: hash)
        if (parts[part].used + 1) * 4 > parts[part].cells.count * 3 { Self.grow(&parts[part]) }
        Self.put(hash & Self.upperHalf | UInt64(place + 1), into: &parts[part].cells)
        parts[part].used += 1
        count += 1
    }

    /// Takes out a place that was entered under the same hash.
    mutating func remove(_ place: Int32, _ hash: UInt64) {
        let part = Self.part(of: hash)
        let cell = hash & Self.upperHalf | UInt64(place + 1)
        let mask = parts[part].cells.count - 1
        guard mask >= 0 else { preconditionFailure("place \(place) is not in the index") }
        var hole = Self.start(of: hash) & mask
        while parts[part].cells[hole] != cell {
            precondition(parts[part].cells[hole] != 0, "place \(place) is not in the index")
            hole = (hole + 1) & mask
        }
        Self.close(hole, in: &parts[part].cells)
        parts[part].used -= 1
        count -= 1
    }

    private static func part(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash & 63)
    }

    private static func start(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 32)
    }

    private static func place(in cell: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: cell & 0xFFFF_FFFF) - 1
    }

    private static func put(_ cell: UInt64, into cells: inout [UInt64]) {
        let mask = cells.count - 1
        var index = start(of: cell) & mask
        while cells[index] != 0 { index = (index + 1) & mask }
        cells[index] = cell
    }

    private static func grow(_ part: inout Part) {
        var larger = [UInt64](
            repeating: 0, count: max(smallestPart, part.cells.count * 2))
        for cell in part.cells where cell != 0 { put(cell, into: &larger) }
        part.cells = larger
    }

    /// Frees a cell and moves up what would no longer be found behind it.
    private static func close(_ freed: Int, in cells: inout [UInt64]) {
        let mask = cells.count - 1
        var hole = freed
        var index = (hole + 1) & mask
        while cells[index] != 0 {
            let distance = (index - start(of: cells[index])) & mask
            if distance >= (index - hole) & mask {
                cells[hole] = cells[index]
                hole = index
            }
            index = (index + 1) & mask
        }
        cells[hole] = 0
    }
}

extension TransactionID {
    /// A hash of the identifier. The daemon draws identifiers at random, so a client cannot choose them
    /// to collide; one multiplication spreads them.
    var spreadHash: UInt64 {
        let product = (value.low ^ value.high).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

extension OpaqueText {
    /// A hash of the text with a secret of this process, because clients choose texts.
    var spreadHash: UInt64 {
        var hasher = Hasher()
        hash(into: &hasher)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
