internal import PaymentCore

/// Builds and merges index files.
struct IndexBuilder {
    let disk: any Disk
    let store: UniqueID
    let sync: BackgroundSync

    /// The number of blocks that a merge reads at once from each index.
    private static let blocksPerRead = 16

    /// Builds the index of one file from its lines, all of which are verified on the way. Memory
    /// holds the entries of the file.
    ///
    /// - Returns: The open index; its name is durable after a sync of the directory.
    func build(_ file: ArchiveFile) throws(ArchiveFailure) -> ArchiveIndex {
        var scanner = try ArchiveScanner(file, of: store, on: disk)
        var entries = IndexEntries(KeyedHash(store))
        while let line = try scanner.next() {
            do throws(PayloadFault) {
                try entries.add(line.content, file: 0, offset: scanner.lineOffset)
            } catch {
                throw .damaged(
                    file: file.name, offset: scanner.lineOffset, reason: error.description)
            }
        }
        entries.sort()
        let keys = entries.sections[IndexSection.key.rawValue].count
        let writer = try ArchiveIndexWriter(
            [file], of: store, keyCount: keys, on: disk, sync: sync)
        for section in IndexSection.allCases {
            for entry in entries.sections[section.rawValue] { try writer.add(entry, to: section) }
        }
        return try ArchiveIndex(try writer.finish(), of: store, on: disk)
    }

    /// Merges indexes of consecutive files into one, without their entries for other files. Memory
    /// holds some blocks of each index.
    ///
    /// - Parameters:
    ///   - indexes: The indexes in the order of their files.
    ///   - files: The files that count, in order.
    /// - Returns: The index of all these files.
    /// - Throws: An index cannot be read, or the new one cannot be written.
    func merge(
        _ indexes: [ArchiveIndex], keeping files: [ArchiveFile]
    ) throws(ArchiveFailure) -> ArchiveIndex {
        let wanted = Set(files)
        let kept = indexes.flatMap(\.files).filter(wanted.contains)
        let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
        let maps = indexes.map { $0.files.map { numbers[$0] } }
        let keys = indexes.reduce(0) { $0 + $1.counts[IndexSection.key.rawValue] }
        let writer = try ArchiveIndexWriter(
            kept, of: store, keyCount: keys, on: disk, sync: sync)
        for section in IndexSection.allCases {
            var cursors: [MergeCursor] = []
            for (index, map) in zip(indexes, maps) {
                var cursor = MergeCursor(
                    reader: IndexReader(index, section, readAhead: Self.blocksPerRead), files: map)
                if try cursor.advance() { cursors.append(cursor) }
            }
            var heap = MergeHeap(cursors)
            while let entry = heap.first {
                try writer.add(entry, to: section)
                try heap.advance()
            }
        }
        return try ArchiveIndex(try writer.finish(), of: store, on: disk)
    }
}

/// The entries of one section of one index, with the file numbers of the merged index.
private struct MergeCursor {
    var reader: IndexReader
    /// The new number of each file; nil for files that do not count any more.
    let files: [Int?]
    private(set) var entry = IndexEntry(hash: 0, place: 0)
    private var next = 0

    init(reader: IndexReader, files: [Int?]) {
        self.reader = reader
        self.files = files
    }

    /// Moves to the next entry of a file that counts; false at the end.
    mutating func advance() throws(ArchiveFailure) -> Bool {
        while next < reader.index.counts[reader.section.rawValue] {
            let old = try reader.entry(next)
            next += 1
            guard let file = files[old.file] else { continue }
            entry = IndexEntry(hash: old.hash, file: file, offset: old.offset)
            return true
        }
        return false
    }
}

/// A binary heap of cursors; the cursor with the smallest entry is first.
private struct MergeHeap {
    private var cursors: [MergeCursor]

    init(_ cursors: [MergeCursor]) {
        self.cursors = cursors.sorted { $0.entry < $1.entry }
    }

    var first: IndexEntry? { cursors.first?.entry }

    /// Advances the first cursor.
    mutating func advance() throws(ArchiveFailure) {
        if try !cursors[0].advance() {
            cursors.swapAt(0, cursors.count - 1)
            cursors.removeLast()
        }
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < cursors.count else { return }
            if child + 1 < cursors.count, cursors[child + 1].entry < cursors[child].entry {
                child += 1
            }
            guard cursors[child].entry < cursors[parent].entry else { return }
            cursors.swapAt(parent, child)
            parent = child
        }
    }
}
