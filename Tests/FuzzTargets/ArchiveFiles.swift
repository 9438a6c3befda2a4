import PaymentCore
import StrictJSON

@testable import PaymentStorage

/// A file of closed things, with checksums that are right. The manifest says of it what its own lines say.
enum ArchiveFiles {
    private static let store = UniqueID(randomHigh: 1, randomLow: 2)
    private static let lineLimit = 32

    static func check(_ input: [UInt8]) throws(Violation) {
        var bytes: [UInt8] = []
        var places: [Int] = []
        var chain: UInt32 = 0
        for text in input.split(separator: 10).prefix(lineLimit) {
            let start = bytes.count
            bytes += text
            if let checksum = JournalLines.seal(&bytes, start..<bytes.count, seed: chain) {
                chain = checksum
            }
            places.append(start)
            bytes.append(10)
        }
        guard let end = places.last, let described = describe(bytes, places.count, end: end) else {
            return
        }
        let disk = GivenDisk([described.file.name: bytes])
        guard
            var scanner = try? ArchiveScanner(described.file, of: described.store, on: disk)
        else { return }
        try read(&scanner, described.file, disk)
    }

    /// The file as a manifest names it, by its first and its last line.
    private static func describe(
        _ bytes: [UInt8], _ lines: Int, end: Int
    ) -> (file: ArchiveFile, store: UniqueID)? {
        guard let first = bytes.firstIndex(of: 10),
            let head = ArchiveLine(0..<first, in: bytes)?.content,
            let header = try? ArchiveHeader(head)
        else { return nil }
        let last = ArchiveLine(end..<bytes.count - 1, in: bytes)
        let seal = last.flatMap { try? ArchiveSeal($0.content) }
        let time = Timestamp(milliseconds: 0)
        let file = ArchiveFile(
            kind: header.kind, first: header.first, last: max(header.first, last?.sequence ?? 0),
            bytes: bytes.count, lines: UInt64(max(0, lines - 2)), oldest: time,
            newest: seal?.newest ?? time, digest: seal?.digest ?? "")
        return (file, header.store)
    }

    private static func read(
        _ scanner: inout ArchiveScanner, _ file: ArchiveFile, _ disk: GivenDisk
    ) throws(Violation) {
        var known = try KnownProducts()
        var reader = ArchiveLineReader(disk)
        while let line = try? scanner.next() {
            let found = try? reader.line(at: scanner.lineOffset, of: file)
            try require(
                found?.content.text == line.content.text && found?.sequence == line.sequence,
                "the line at \(scanner.lineOffset) is found as \(found as Any)")
            try checkKeys(of: line.content)
            _ = try known.item(line.content)
        }
    }

    /// The quick way to the keys of a line finds those of the general way.
    private static func checkKeys(of content: LineContent) throws(Violation) {
        var quick = IndexEntries(KeyedHash(store))
        guard quick.addPlain(content, 7) else {
            try require(quick.sections.allSatisfy(\.isEmpty), "keys of a line that is not plain")
            return
        }
        var general = IndexEntries(KeyedHash(store))
        try reading { () throws(PayloadFault) in try general.addAny(content, 7) }
        try require(quick.sections == general.sections, "other keys: \(content.text)")
    }
}
