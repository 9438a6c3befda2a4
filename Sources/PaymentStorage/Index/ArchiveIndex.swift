internal import PaymentCore

/// An open index file. Immutable, so threads share it. Memory holds the first hash of each block and
/// the filter of the keys.
final class ArchiveIndex: Sendable {
    /// The name of the file.
    let name: String
    /// The files that the entries name by number.
    let files: [ArchiveFile]
    /// The number of entries of each section.
    let counts: [Int]
    private let file: any DiskFile
    private let seed: UInt32
    private let firsts: [UInt64]
    private let filter: KeyFilter
    /// The block before the first one of each section, counted over all sections.
    private let firstBlocks: [Int]
    private let dataOffset: Int

    /// Opens an index and verifies everything but the blocks.
    ///
    /// - Throws: `.damaged` if it is not an intact index of the store.
    init(_ name: String, of store: UniqueID, on disk: any Disk) throws(ArchiveFailure) {
        self.name = name
        file = try onDisk(try disk.open(name, .read))
        let length = try onDisk(try file.length())
        let last = length - IndexFormat.blockBytes
        guard last > 0,
            let footer = IndexFooter(
                try onDisk(try file.readBytes(at: last, count: IndexFormat.blockBytes))),
            footer.fileBytes == length
        else { throw .damaged(file: name, offset: max(0, last), reason: "the footer is damaged") }
        let header = try onDisk(try file.readBytes(at: 0, count: footer.headerBytes))
        guard IndexFormat.checksum(header[...]) == footer.headerChecksum,
            let files = IndexFormat.files(header, of: store)
        else { throw .damaged(file: name, offset: 0, reason: "the header is damaged") }
        let start = last - footer.tailBytes
        let tail = try onDisk(try file.readBytes(at: start, count: footer.tailBytes))
        guard IndexFormat.checksum(tail[...]) == footer.tailChecksum else {
            throw .damaged(file: name, offset: start, reason: "the filter is damaged")
        }
        self.files = files
        counts = footer.counts
        seed = footer.headerChecksum
        dataOffset = footer.headerBytes
        let blocks = footer.blocks
        firstBlocks = blocks.indices.map { blocks[..<$0].reduce(0, +) }
        let total = blocks.reduce(0, +)
        firsts = (0..<total).map { tail.number(at: $0 * 8) }
        filter = KeyFilter(words: tail.words(at: total * 8, count: footer.filterWords))
    }

    /// The bytes in memory, apart from the file list.
    var residentBytes: Int { firsts.count * 8 + filter.words.count * 4 }

    /// Whether a section can contain a hash, by the data in memory.
    func mayContain(_ hash: UInt64, in section: IndexSection) -> Bool {
        counts[section.rawValue] > 0 && (section != .key || filter.mayContain(hash))
    }

    /// The entries of a hash, in the order of closing.
    func entries(of hash: UInt64, in section: IndexSection) throws(ArchiveFailure) -> IndexRun {
        var reader = IndexReader(self, section)
        let first = try lowerBound(hash, &reader)
        let end = hash == .max ? counts[section.rawValue] : try lowerBound(hash + 1, &reader)
        return IndexRun(reader: reader, range: first..<end)
    }

    /// The number of the first entry of a section whose hash is not less.
    private func lowerBound(
        _ hash: UInt64, _ reader: inout IndexReader
    ) throws(ArchiveFailure) -> Int {
        let section = reader.section.rawValue
        let blocks = firstBlocks[section]..<firstBlocks[section] + blockCount(section)
        guard !blocks.isEmpty else { return 0 }
        // The last block that begins with a smaller hash, or the first block.
        var low = blocks.lowerBound
        var high = blocks.upperBound
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] < hash { low = middle + 1 } else { high = middle }
        }
        let block = max(low - 1, blocks.lowerBound) - blocks.lowerBound
        var first = block * IndexFormat.entriesPerBlock
        var end = min(first + IndexFormat.entriesPerBlock, counts[section])
        if firsts[blocks.lowerBound + block] >= hash { return first }
        while first < end {
            let middle = (first + end) / 2
            if try reader.entry(middle).hash < hash { first = middle + 1 } else { end = middle }
        }
        return first
    }

    private func blockCount(_ section: Int) -> Int {
        (counts[section] + IndexFormat.entriesPerBlock - 1) / IndexFormat.entriesPerBlock
    }

    /// Reads every block. False if one is damaged or cannot be read.
    func isIntact() -> Bool {
        IndexSection.allCases.allSatisfy { section in
            (0..<blockCount(section.rawValue)).allSatisfy { number in
                (try? blocks(number..<number + 1, of: section)) != nil
            }
        }
    }

    /// Reads blocks of a section and verifies them.
    func blocks(
        _ numbers: Range<Int>, of section: IndexSection
    ) throws(ArchiveFailure) -> [UInt8] {
        let first = firstBlocks[section.rawValue] + numbers.lowerBound
        let offset = dataOffset + first * IndexFormat.blockBytes
        let bytes: [UInt8]
        do throws(DiskFailure) {
            bytes = try file.readBytes(at: offset, count: numbers.count * IndexFormat.blockBytes)
        } catch {
            // The index is built again, as after damage. Nothing is lost, because everything in it comes
            // from the files of closed things.
            throw .damaged(file: name, offset: offset, reason: error.description)
        }
        for number in numbers {
            let start = (number - numbers.lowerBound) * IndexFormat.blockBytes
            let end = min(start + IndexFormat.blockBytes, bytes.count)
            let expected = min(
                IndexFormat.entriesPerBlock,
                counts[section.rawValue] - number * IndexFormat.entriesPerBlock)
            let count = IndexBlock.count(
                bytes[min(start, end)..<end], section: section.rawValue, number: number,
                seed: seed)
            guard count == expected else {
                throw .damaged(file: name, offset: offset + start, reason: "a block is damaged")
            }
        }
        return bytes
    }
}

/// Reads entries of a section by number and keeps the last blocks that it read.
struct IndexReader {
    let index: ArchiveIndex
    let section: IndexSection
    private let readAhead: Int
    private var bytes: [UInt8] = []
    private var held = 0..<0

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - section: The section that is read.
    ///   - readAhead: The number of blocks to read at once.
    init(_ index: ArchiveIndex, _ section: IndexSection, readAhead: Int = 1) {
        self.index = index
        self.section = section
        self.readAhead = readAhead
    }

    /// The entry of a number, which must be less than the section's count. Its file is one of the index.
    mutating func entry(_ number: Int) throws(ArchiveFailure) -> IndexEntry {
        let block = number / IndexFormat.entriesPerBlock
        if !held.contains(block) {
            let count = index.counts[section.rawValue]
            let end = (count + IndexFormat.entriesPerBlock - 1) / IndexFormat.entriesPerBlock
            let wanted = block..<min(block + readAhead, end)
            bytes = try index.blocks(wanted, of: section)
            held = wanted
        }
        let offset =
            (block - held.lowerBound) * IndexFormat.blockBytes + IndexFormat.blockHeaderBytes
            + number % IndexFormat.entriesPerBlock * IndexEntry.bytes
        let entry = IndexEntry(hash: bytes.number(at: offset), place: bytes.number(at: offset + 8))
        guard index.files.indices.contains(entry.file) else {
            throw .damaged(
                file: index.name, offset: 0,
                reason: "entry \(number) of section \(section.rawValue) is of an unknown file")
        }
        return entry
    }
}

/// Consecutive entries of a section that have the same hash.
struct IndexRun {
    var reader: IndexReader
    /// The numbers of the entries.
    var range: Range<Int>
}
