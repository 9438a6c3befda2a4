internal import Crypto
public import PaymentCore

/// The beginning of a copy of a log that another place commits.
public struct StoreSeed: Sendable {
    /// The content of `format.json`.
    public var format: [UInt8]
    /// The first lines of the log; nil if the other place does not have them any more.
    public var firstLines: [UInt8]?

    /// Creates a seed.
    public init(format: [UInt8], firstLines: [UInt8]?) {
        self.format = format
        self.firstLines = firstLines
    }

    /// The store that the seed is of; nil if it is not the seed of a store.
    public var store: UniqueID? { try? StoreFormat(format).store }

    /// Makes the seed of a new store.
    ///
    /// - Parameter settings: Chance, the clock, and the name of this program.
    /// - Returns: The seed, and the end of the log that it begins.
    public static func new(
        _ settings: LogSettings
    ) -> (seed: StoreSeed, end: (next: SequenceNumber, chain: UInt32)) {
        var format = StoreFormat.new(settings.environment)
        format.storeSince = 0
        let header = SegmentHeader(
            store: format.store, number: 1, lastEvent: 0, storeBytes: 0, previous: nil,
            build: settings.build)
        var writer = LineWriter(
            chain: 0, next: 1, lineLimit: settings.policy.lineLimitBytes, capacity: 512)
        _ = writer.line("segment", time: settings.environment.now(), origin: nil) {
            header.encode(into: &$0)
        }
        return (
            StoreSeed(format: format.bytes, firstLines: writer.bytes),
            (writer.next, writer.chain)
        )
    }
}

extension LogOpener {
    /// Removes the seal of a segment without a successor. In a copy this program must not write the header of
    /// the next segment. The seal and the header come again from the other place, and they contain nothing
    /// else.
    func unsealed(_ found: LogJudge.Found, _ file: any DiskFile) throws -> LogJudge.Found {
        var found = found
        let end = found.tail.lastBatch.offset
        let bytes = try file.readBytes(at: 0, count: end)
        let lineStart = (bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        var digest = SHA256()
        digest.update(bytes)
        found.position.next -= 1
        found.tail.chain = LineFormat.checksum(ofLineAt: lineStart, in: bytes)
        found.tail.digest = digest
        found.tail.lines -= 1
        // The mark must not name the removed seal. Otherwise the next start would miss the seal.
        var mark = found.marks.last
        mark.isCopy = true
        mark.sequence = found.position.next - 1
        mark.checksum = found.tail.chain
        try directory.announce(mark)
        try file.fillWithLineFeeds(end..<found.tail.end)
        try file.sync()
        found.tail.end = end
        found.tail.isSealed = false
        found.segments[found.segments.count - 1].bytes = end
        return found
    }

    /// Makes a store that is a copy of another.
    ///
    /// - Throws: `.unsuitable` if the directory has other files of a store, or the seed is not the beginning of
    ///   a log.
    mutating func makeStore(
        _ inventory: Inventory, from seed: StoreSeed
    ) throws -> OpenedLog {
        guard let lines = seed.firstLines else {
            throw StorageError.unsuitable(
                "'\(directory.path)' is empty, and the cluster does not have the beginning of the log "
                    + "any more; copy the state directory of another node that is stopped")
        }
        report.isNew = true
        let format = try StoreFormat(seed.format)
        var mark = ProgressMark(store: format.store)
        mark.isCopy = true
        mark.parts = format.parts
        mark.storeSince = format.storeSince
        try directory.announce(mark)
        try clear(inventory.leftovers)
        var reader = ChunkReader(lines, next: 1, chain: 0, head: 0, beginsSegment: true)
        guard let first = try reader.line() else {
            throw StorageError.unsuitable("the cluster has an empty beginning of the log")
        }
        let header = try SegmentHeader(first)
        guard header.store == format.store, header.number == 1 else {
            throw StorageError.unsuitable("the cluster's log does not begin with its first segment")
        }
        let line = Array(lines.prefix(first.byteCount))
        let opened = try beginSegment(
            header, line, first: 1, at: try first.time(), chain: reader.chunk.chain, format,
            following: [])
        try disk.replaceFile(FileName.format, with: format.bytes)
        return opened
    }
}
