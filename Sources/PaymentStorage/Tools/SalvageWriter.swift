internal import PaymentCore
internal import StrictJSON

/// Writes a new store of the lines that a ``Salvage`` reads: the same lines under the same sequence
/// numbers, with a mark in the place of each one that is lost.
struct SalvageWriter {
    private let source: any Disk
    private let target: any Disk
    private let format: StoreFormat
    private let salvage: Salvage
    private let lost: [ClosedRange<SequenceNumber>]
    private let last: SequenceNumber
    private let now: Timestamp

    /// The segment that is being written.
    private var output: SegmentOutput?
    private var lines: UInt64 = 0
    private var number: UInt64
    private var next: SequenceNumber
    private var lastEvent: SequenceNumber
    private var storeBytes: UInt64
    private var previous: SegmentHeader.Previous?
    /// The first sequence numbers of the segments that are still to be begun.
    private var begins: ArraySlice<SequenceNumber>

    init(
        from source: any Disk, to target: any Disk, as format: StoreFormat, _ salvage: Salvage,
        _ survey: JournalRepair.Survey, _ environment: StorageEnvironment
    ) {
        self.source = source
        self.target = target
        self.format = format
        self.salvage = salvage
        lost = survey.lostRanges
        last = survey.last
        now = environment.now()
        let position = salvage.plan.base?.header.position ?? LogJudge.Position()
        number = position.segmentNumber
        next = position.next
        lastEvent = position.lastEvent
        storeBytes = position.storeBytes
        previous = position.previous
        // A segment has room for its header and its seal at least.
        var begins = [position.next]
        for first in salvage.plan.segments where first >= begins[begins.count - 1] + 2 {
            begins.append(first)
        }
        self.begins = begins[...]
    }

    /// Writes everything but the format file and the lock file.
    ///
    /// - Returns: The mark of the last line.
    mutating func run() throws -> ProgressMark {
        try keepFreeBegins()
        if let base = salvage.plan.base {
            var rewriter = StoreRewriter(
                from: source, to: target, as: format, lineLimit: JournalPolicy().lineLimitBytes,
                rewritten: try writeArchives(base.header.history?.id ?? format.store))
            try rewriter.run(segments: [], snapshots: [base.header.position.next - 1])
        }
        var lostRanges = lost[...]
        _ = try salvage.read { line, _ in
            while let range = lostRanges.first, range.upperBound < line.sequence {
                lostRanges.removeFirst()
            }
            guard !line.isInternal, lostRanges.first?.contains(line.sequence) != true else {
                return
            }
            try fill(upTo: line.sequence)
            try add(Array(line.content.bytes[line.content.range]))
            if line.content.isOfStore {
                storeBytes += UInt64(line.byteCount)
            } else {
                lastEvent = line.sequence
            }
            next += 1
        }
        try fill(upTo: max(last, begins.last ?? 0) + 1)
        guard let end = try output?.finish() else { preconditionFailure("a store without a line") }
        var mark = ProgressMark(store: format.store)
        mark.parts = format.parts
        mark.storeSince = format.storeSince
        mark.sequence = next - 1
        mark.checksum = end.checksum
        return mark
    }

    /// Writes what is left of damaged files of closed things.
    ///
    /// - Parameter store: The store that these files name.
    /// - Returns: The new files, by the names that they share with the damaged ones.
    /// - Throws: A file cannot be read or written.
    private func writeArchives(_ store: UniqueID) throws -> [String: ArchiveFile] {
        var written: [String: ArchiveFile] = [:]
        try salvage.forEachDamagedArchive { left in
            let writer = try ArchiveFileWriter(
                left.file.kind, from: left.file.first, of: store, on: target,
                sync: StorageEnvironment.syncAtOnce)
            try writer.copy(left)
            written[left.file.name] = try writer.finish(last: left.file.last)
        }
        return written
    }

    /// Drops the beginning of a segment if an event has its sequence number or that of the seal before it. The
    /// name of that file is wrong.
    private mutating func keepFreeBegins() throws {
        let inner = begins.dropFirst()
        let places = Set(inner.flatMap { [$0 - 1, $0] })
        var taken: Set<SequenceNumber> = []
        _ = try salvage.read { line, _ in
            if !line.isInternal, places.contains(line.sequence) { taken.insert(line.sequence) }
        }
        begins = begins.prefix(1) + inner.filter { !taken.contains($0 - 1) && !taken.contains($0) }
    }

    /// Writes headers, seals and marks up to a line.
    private mutating func fill(upTo sequence: SequenceNumber) throws {
        while next < sequence {
            if next == begins.first {
                try begin()
            } else if let first = begins.first, next + 1 == first {
                try seal()
            } else {
                try add(line("mark") { $0.raw("{}") })
                next += 1
            }
        }
    }

    private mutating func begin() throws {
        number += 1
        output = SegmentOutput(file: try target.open(FileName.segment(first: next), .create))
        lines = 0
        let header = SegmentHeader(
            store: format.store, number: number, lastEvent: lastEvent,
            storeBytes: storeBytes, previous: previous, build: "payqueuectl journal repair")
        try add(line("segment") { header.encode(into: &$0) })
        begins.removeFirst()
        next += 1
    }

    private mutating func seal() throws {
        guard let output else { preconditionFailure("a seal without a segment") }
        let seal = SegmentSeal(count: lines, digest: output.digest.hex)
        try add(line("seal") { seal.encode(into: &$0) })
        previous = try self.output?.finish()
        next += 1
    }

    private mutating func add(_ line: [UInt8]) throws {
        var line = line
        try output?.add(&line)
        lines += 1
    }

    private func line(
        _ word: StaticString, payload: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = LineWriter(
            chain: 0, next: next, lineLimit: JournalPolicy().lineLimitBytes, capacity: 512)
        _ = writer.line(word, time: now, origin: nil, payload: payload)
        return Array(writer.bytes.dropLast())
    }
}
