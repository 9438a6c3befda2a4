/// Places in the order of their positions.
///
/// The entries are in chunks of at most 256, eight bytes each. A change therefore copies at most 2
/// KiB, also while a snapshot shares the list.
struct PlaceList: Sendable {
    /// One place and its position at the time of insertion.
    struct Entry: Sendable, Hashable {
        var position: UInt64
        var place: Int32
    }

    /// Neighbouring entries, at least one, whose positions agree in their upper halves.
    private struct Chunk: Sendable {
        /// No entry has a smaller position.
        var lower: UInt64
        /// The lower half of the position and the place, in ascending order.
        var cells: [UInt64]

        init(_ entry: Entry) {
            lower = entry.position
            cells = [Self.cell(entry)]
        }

        init(cells: [UInt64], upperHalf: UInt64) {
            self.cells = cells
            lower = upperHalf << 32 | cells[0] >> 32
        }

        var upperHalf: UInt64 { lower >> 32 }

        func entry(at index: Int) -> Entry {
            Entry(
                position: upperHalf << 32 | cells[index] >> 32,
                place: Int32(truncatingIfNeeded: cells[index]))
        }

        /// The index of the first entry whose position is not below this one.
        func index(of position: UInt64) -> Int {
            guard position >> 32 == upperHalf else {
                return position >> 32 < upperHalf ? 0 : cells.count
            }
            // A new entry comes last.
            if let last = cells.last, last >> 32 < position & 0xFFFF_FFFF { return cells.count }
            var low = 0
            var high = cells.count
            while low < high {
                let middle = (low + high) / 2
                if cells[middle] >> 32 < position & 0xFFFF_FFFF {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        /// Whether an entry with this position can be appended here.
        func canAppend(_ position: UInt64) -> Bool {
            guard let last = cells.last, cells.count < PlaceList.chunkSize else { return false }
            return position >> 32 == upperHalf && last >> 32 < position & 0xFFFF_FFFF
        }

        static func cell(_ entry: Entry) -> UInt64 {
            entry.position << 32 | UInt64(UInt32(bitPattern: entry.place))
        }
    }

    fileprivate static let chunkSize = 256
    private var chunks: [Chunk] = []
    /// The number of entries.
    private(set) var count = 0

    /// The first entry; nil if the list is empty.
    var first: Entry? { chunks.first?.entry(at: 0) }

    /// All entries in order.
    var all: some Sequence<Entry> {
        chunks.lazy.flatMap { chunk in chunk.cells.indices.lazy.map { chunk.entry(at: $0) } }
    }

    /// Inserts a place by its position, which must be unique.
    mutating func insert(_ place: Int32, position: UInt64) {
        count += 1
        let entry = Entry(position: position, place: place)
        let chunk = chunk(of: position)
        guard chunk < chunks.count, chunks[chunk].upperHalf == position >> 32 else {
            let isFirst = chunk == chunks.count || position < chunks[chunk].lower
            return chunks.insert(Chunk(entry), at: isFirst ? chunk : chunk + 1)
        }
        let index = chunks[chunk].index(of: position)
        if chunks[chunk].cells.count < Self.chunkSize {
            chunks[chunk].cells.insert(Chunk.cell(entry), at: index)
            chunks[chunk].lower = min(chunks[chunk].lower, position)
        } else if index == Self.chunkSize {
            var next = Chunk(entry)
            next.cells.reserveCapacity(Self.chunkSize)
            chunks.insert(next, at: chunk + 1)
        } else {
            count -= 1
            split(chunk)
            insert(place, position: position)
        }
    }

    /// Inserts entries by their positions, which must be unique.
    mutating func append(_ entries: [Entry]) {
        for entry in entries {
            if let last = chunks.indices.last, chunks[last].canAppend(entry.position) {
                chunks[last].cells.append(Chunk.cell(entry))
                count += 1
            } else {
                insert(entry.place, position: entry.position)
            }
        }
    }

    /// Removes the entry of a position, which must be in the list.
    mutating func remove(position: UInt64) {
        let chunk = chunk(of: position)
        guard chunk < chunks.count else {
            preconditionFailure("position \(position) is not in the list")
        }
        let index = chunks[chunk].index(of: position)
        precondition(
            index < chunks[chunk].cells.count
                && chunks[chunk].entry(at: index).position == position,
            "position \(position) is not in the list")
        count -= 1
        chunks[chunk].cells.remove(at: index)
        if chunks[chunk].cells.isEmpty {
            chunks.remove(at: chunk)
        } else if chunks[chunk].cells.count < Self.chunkSize / 4 {
            merge(chunk)
        }
    }

    /// The first entry after a position; nil if there is none.
    func first(after position: UInt64) -> Entry? {
        var found: Entry?
        forEach(after: position) { entry in
            found = entry
            return false
        }
        return found
    }

    /// Calls `body` for the entries after a position, in order, until it returns false.
    func forEach(after position: UInt64, _ body: (Entry) -> Bool) {
        guard position < .max, !chunks.isEmpty else { return }
        var chunk = chunk(of: position + 1)
        var index = chunks[chunk].index(of: position + 1)
        while chunk < chunks.count {
            while index < chunks[chunk].cells.count {
                guard body(chunks[chunk].entry(at: index)) else { return }
                index += 1
            }
            chunk += 1
            index = 0
        }
    }

    /// The last chunk that begins at a position or before it; the first chunk if there is none.
    private func chunk(of position: UInt64) -> Int {
        // A new entry comes last. For a new entry, a binary search would read many chunks of a long
        // list.
        if let last = chunks.last, last.lower <= position { return chunks.count - 1 }
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].lower <= position { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)
    }

    private mutating func split(_ chunk: Int) {
        let half = Self.chunkSize / 2
        let later = Array(chunks[chunk].cells[half...])
        chunks.insert(
            Chunk(cells: later, upperHalf: chunks[chunk].upperHalf), at: chunk + 1)
        chunks[chunk].cells.removeLast(later.count)
    }

    /// Merges a chunk with the next one if both together fill at most half a chunk.
    private mutating func merge(_ chunk: Int) {
        guard chunk + 1 < chunks.count, chunks[chunk].upperHalf == chunks[chunk + 1].upperHalf,
            chunks[chunk].cells.count + chunks[chunk + 1].cells.count <= Self.chunkSize / 2
        else { return }
        chunks[chunk].cells += chunks.remove(at: chunk + 1).cells
    }

    /// The bytes that the entries occupy, for tests.
    var allocatedBytes: Int {
        chunks.reduce(chunks.capacity * MemoryLayout<Chunk>.stride) {
            $0 + $1.cells.capacity * MemoryLayout<UInt64>.stride
        }
    }
}
