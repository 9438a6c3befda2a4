import PaymentCore

@testable import PaymentStorage

/// The file of an index: a footer of any numbers, and a file whose checksums are right.
///
/// The first byte of an input says which. A footer takes numbers of eight bytes from the rest. A file takes
/// the number of entries of each section, the entries, and behind a line feed the header.
enum IndexFiles {
    private static let name = "archive.index"
    private static let store = UniqueID(randomHigh: 1, randomLow: 2)

    static func check(_ input: [UInt8]) throws(Violation) {
        guard let kind = input.first else { return }
        if kind & 1 == 0 {
            try checkFooter(Array(input.dropFirst()))
        } else {
            try checkFile(Array(input.dropFirst()))
        }
    }

    private static func checkFooter(_ rest: [UInt8]) throws(Violation) {
        var footer = Array("payqueued-index1".utf8) + rest.prefix(4000)
        footer += [UInt8](repeating: 0, count: IndexFormat.blockBytes - 8 - footer.count)
        footer.append(number: UInt64(IndexFormat.checksum(footer[...])))
        if let read = IndexFooter(footer) {
            try require(
                IndexFooter(read.encoded) == read, "written again, it is another footer: \(read)")
        }
        _ = try? ArchiveIndex(name, of: store, on: GivenDisk([name: footer]))
        _ = try? ArchiveIndex(name, of: store, on: GivenDisk([name: footer + footer]))
    }

    private static func checkFile(_ rest: [UInt8]) throws(Violation) {
        let sections = IndexSection.allCases.count
        guard rest.count >= sections, let end = rest.firstIndex(of: 10) else { return }
        let counts = rest.prefix(sections).map { Int($0 & 7) }
        var header = Array(rest[(end + 1)...])
        header += [UInt8](
            repeating: 32, count: IndexFormat.blockBytes - 1 - header.count % IndexFormat.blockBytes
        )
        header.append(10)
        let seed = IndexFormat.checksum(header[...])
        var numbers = Numbers(bytes: rest[min(end, sections)..<end])
        var bytes = header
        var tail: [UInt8] = []
        var all: [IndexEntry] = []
        for (section, count) in counts.enumerated() where count > 0 {
            var block = [UInt8](repeating: 0, count: IndexFormat.blockHeaderBytes)
            let entries = (0..<count).map { _ in
                let (hash, place) = (numbers.next(), numbers.next())
                // Nearly all are of the first file.
                return IndexEntry(
                    hash: hash, place: place >> 56 == 0xFF ? place : place & 0xFFFF_FFFF_FFFF)
            }
            for entry in entries.sorted() {
                block.append(number: entry.hash)
                block.append(number: entry.place)
            }
            all += entries
            block += [UInt8](repeating: 0, count: IndexFormat.blockBytes - block.count)
            IndexBlock.seal(&block, count: count, section: section, number: 0, seed: seed)
            bytes += block
            tail.append(number: entries.map(\.hash).min() ?? 0)
        }
        for _ in 0..<4 { tail.append(number: numbers.next()) }
        bytes += tail
        bytes +=
            IndexFooter(
                headerBytes: header.count, headerChecksum: seed, counts: counts, filterWords: 8,
                tailChecksum: IndexFormat.checksum(tail[...])
            ).encoded
        guard let index = try? ArchiveIndex(name, of: store, on: GivenDisk([name: bytes])) else {
            return
        }
        guard all.allSatisfy({ index.files.indices.contains($0.file) }) else {
            return try requireDamage(index)
        }
        try ask(index, all.map(\.hash), counts)
    }

    /// An entry of a file that the index does not have is damage.
    private static func requireDamage(_ index: ArchiveIndex) throws(Violation) {
        do throws(ArchiveFailure) {
            for section in IndexSection.allCases {
                var reader = IndexReader(index, section)
                for number in 0..<index.counts[section.rawValue] { _ = try reader.entry(number) }
            }
        } catch {
            return
        }
        throw Violation("an entry of an unknown file is read")
    }

    /// Every entry is found by its hash, in the section that has it.
    private static func ask(
        _ index: ArchiveIndex, _ hashes: [UInt64], _ counts: [Int]
    ) throws(Violation) {
        do throws(ArchiveFailure) {
            try require2(index.isIntact())
            var rest = hashes[...]
            for section in IndexSection.allCases {
                let own = rest.prefix(counts[section.rawValue])
                rest = rest.dropFirst(own.count)
                for hash in own + [0, .max] {
                    var run = try index.entries(of: hash, in: section)
                    for number in run.range {
                        try require2(try run.reader.entry(number).hash == hash)
                    }
                    try require2(run.range.count == own.count { $0 == hash })
                }
            }
        } catch {
            throw Violation("an index cannot be asked: \(error)")
        }
    }

    private static func require2(_ condition: Bool) throws(ArchiveFailure) {
        guard condition else { throw .damaged(file: name, offset: 0, reason: "another answer") }
    }

    /// Numbers of eight bytes; zeros behind the end.
    private struct Numbers {
        var bytes: ArraySlice<UInt8>

        mutating func next() -> UInt64 {
            let number = bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            bytes = bytes.dropFirst(8)
            return number
        }
    }
}
