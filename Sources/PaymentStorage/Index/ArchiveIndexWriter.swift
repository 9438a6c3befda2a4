internal import PaymentCore

/// Writes an index file from sorted entries, section by section. Memory holds the filter, the first
/// hash of each block and one piece of the file.
final class ArchiveIndexWriter {
    private let disk: any Disk
    private let name: String
    private var file: PacedFile
    private let headerBytes: Int
    private let seed: UInt32
    private var buffer: [UInt8]
    private var block: [UInt8] = []
    private var counts = [Int](repeating: 0, count: IndexSection.allCases.count)
    private var section = 0
    private var number = 0
    private var firsts: [UInt64] = []
    private var filter: KeyFilter

    /// Begins an index.
    ///
    /// - Parameters:
    ///   - files: The files that the entries name by their numbers here.
    ///   - store: The store that the files belong to.
    ///   - keyCount: The number of entries of the section `key`, at most.
    ///   - disk: The directory of the index.
    ///   - sync: Syncs each slice of the file.
    /// - Throws: The file cannot be created.
    init(
        _ files: [ArchiveFile], of store: UniqueID, keyCount: Int, on disk: any Disk,
        sync: @escaping BackgroundSync
    ) throws(ArchiveFailure) {
        guard let first = files.first, let last = files.last else {
            preconditionFailure("an index covers at least one file")
        }
        self.disk = disk
        name = first.indexName(through: last)
        filter = KeyFilter(capacity: keyCount)
        let header = IndexFormat.header(files, of: store)
        headerBytes = header.count
        seed = IndexFormat.checksum(header[...])
        buffer = header
        let temporary = name + temporarySuffix
        try onDisk(try disk.removeIfPresent(temporary))
        file = PacedFile(try onDisk(try disk.open(temporary, .create)), sync: sync)
    }

    /// Adds an entry. Sections and the entries in each are added in ascending order.
    func add(_ entry: IndexEntry, to section: IndexSection) throws(ArchiveFailure) {
        if section.rawValue != self.section || block.count == IndexFormat.blockBytes {
            try endBlock()
            if section.rawValue != self.section {
                self.section = section.rawValue
                number = 0
            }
        }
        if block.isEmpty {
            block.reserveCapacity(IndexFormat.blockBytes)
            block += [UInt8](repeating: 0, count: IndexFormat.blockHeaderBytes)
            firsts.append(entry.hash)
        }
        block.append(number: entry.hash)
        block.append(number: entry.place)
        counts[section.rawValue] += 1
        if section == .key { filter.insert(entry.hash) }
    }

    /// Writes the rest, syncs the file and renames it; durable after a sync of the directory.
    ///
    /// - Returns: The name of the index.
    func finish() throws(ArchiveFailure) -> String {
        try endBlock()
        try flush()
        var checksum: UInt32 = 0
        for first in firsts {
            buffer.append(number: first)
            if buffer.count >= PacedFile.pieceBytes { try flush(&checksum) }
        }
        for pair in stride(from: 0, to: filter.words.count, by: 2) {
            buffer.append(
                number: UInt64(filter.words[pair]) | UInt64(filter.words[pair + 1]) << 32)
            if buffer.count >= PacedFile.pieceBytes { try flush(&checksum) }
        }
        try flush(&checksum)
        let footer = IndexFooter(
            headerBytes: headerBytes, headerChecksum: seed, counts: counts,
            filterWords: filter.words.count, tailChecksum: checksum)
        buffer = footer.encoded
        try flush()
        try onDisk(try file.finish())
        try onDisk(try disk.rename(name + temporarySuffix, to: name))
        return name
    }

    private func endBlock() throws(ArchiveFailure) {
        guard !block.isEmpty else {
            return try flush()
        }
        let count = (block.count - IndexFormat.blockHeaderBytes) / IndexEntry.bytes
        block += [UInt8](repeating: 0, count: IndexFormat.blockBytes - block.count)
        IndexBlock.seal(&block, count: count, section: section, number: number, seed: seed)
        buffer += block
        block.removeAll(keepingCapacity: true)
        number += 1
        if buffer.count >= PacedFile.pieceBytes { try flush() }
    }

    private func flush(_ checksum: inout UInt32) throws(ArchiveFailure) {
        checksum = IndexFormat.checksum(buffer[...], seed: checksum)
        try flush()
    }

    private func flush() throws(ArchiveFailure) {
        guard !buffer.isEmpty else { return }
        try onDisk(try file.append(buffer))
        buffer.removeAll(keepingCapacity: true)
    }
}

/// One block of an index: checksum, number of entries, section, number, entries.
enum IndexBlock {
    /// Writes the head of a full-length block.
    static func seal(
        _ block: inout [UInt8], count: Int, section: Int, number: Int, seed: UInt32
    ) {
        put(UInt64(count) | UInt64(section) << 16, at: 4, in: &block, bytes: 4)
        put(UInt64(number), at: 8, in: &block, bytes: 8)
        let checksum = IndexFormat.checksum(block[4...], seed: seed)
        put(UInt64(checksum), at: 0, in: &block, bytes: 4)
    }

    /// The number of entries of a block; nil if it is damaged or another block.
    static func count(
        _ block: ArraySlice<UInt8>, section: Int, number: Int, seed: UInt32
    ) -> Int? {
        guard block.count == IndexFormat.blockBytes else { return nil }
        let checksum = IndexFormat.checksum(block.dropFirst(4), seed: seed)
        let head = block.withUnsafeBytes {
            (
                UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        guard UInt32(truncatingIfNeeded: head.0) == checksum, head.0 >> 48 == UInt64(section),
            head.1 == UInt64(number)
        else { return nil }
        return Int(head.0 >> 32 & 0xFFFF)
    }

    private static func put(_ value: UInt64, at offset: Int, in block: inout [UInt8], bytes: Int) {
        for index in 0..<bytes {
            block[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
    }
}
