import Glibc
import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentStorage

/// Lines whose checksums are right, and that are still not those which must follow.
@Suite("Lines that a copy of a log must not take")
struct CopiedLineTests {
    private let origin = StorageRig()
    private let rig = StorageRig()

    /// A log, a copy of it, and the next chunk of the log, which ends the segment.
    private func nodes() throws -> (copy: CopiedLog, chunk: LogChunk) {
        let journal = try open(origin, from: nil)
        let copy = try open(rig, from: try journal.seed(limit: 1 << 16))
        for _ in 0..<3 {
            _ = journal.journal.append(
                .countryAssumed(nil), time: PaymentTesting.Samples.noon, origin: nil)
        }
        return (copy, try #require(journal.seal(endsSegment: true)))
    }

    private func open(_ rig: StorageRig, from seed: StoreSeed?) throws -> CopiedLog {
        try LocalLog.read(in: rig.stateDirectory(), settings: rig.settings, SeenReplay())
            .openCopy(from: seed).copy
    }

    /// The line with another text in it, and the checksum of that.
    private func line(
        _ line: [UInt8], _ old: String, _ new: String, after chain: UInt32 = 0
    ) throws -> [UInt8] {
        let text = String(decoding: line.dropLast(), as: UTF8.self)
        try #require(text.contains(old))
        return Forged.bytes([text.replacing(old, with: new)], after: chain)
    }

    /// A mark with a number of its own.
    private func mark(next: SequenceNumber, chain: UInt32) -> [UInt8] {
        Forged.bytes([Forged.line(Int(next), "mark", "{}")], after: chain)
    }

    @Test(
        arguments: [
            (#""segment":2"#, #""segment":3"#), (#""last":4"#, #""last":3"#),
            (#","version":1"#, #","storeBytes":7,"version":1"#),
            (#""sha256":""#, #""sha256":"0"#), (#""store":""#, #""store":"0"#),
        ])
    func `a header that does not follow the files is refused`(old: String, new: String) throws {
        let (copy, chunk) = try nodes()
        var header = Array(chunk.bytes[chunk.bodyBytes...])
        if old == #""store":""# {
            let store = try #require(chunk.nextSegment).header.store.description
            let other = UniqueID(high: 1, low: 2).description
            header = try line(header, store, other)
        } else {
            header = try line(header, old, new)
        }
        let error = #expect(throws: JournalFailure.self) {
            try copy.follow(chunk.bytes[..<chunk.bodyBytes] + header, into: SeenReplay())
        }
        #expect(error?.description.contains("does not follow") == true)
    }

    @Test(
        arguments: [
            (#""t":"segment""#, #""t":"segments""#), ("payqueued-journal", "payqueued-other"),
            (#""version":1"#, #""version":2"#), (#""last":"#, #""least":"#),
        ])
    func `a line behind a seal that is no header is refused`(old: String, new: String) throws {
        let (copy, chunk) = try nodes()
        let header = try line(Array(chunk.bytes[chunk.bodyBytes...]), old, new)
        let error = #expect(throws: ChunkFault.self) {
            try copy.follow(chunk.bytes[..<chunk.bodyBytes] + header, into: SeenReplay())
        }
        #expect(error?.description.contains("the shape of a segment's header") == true)
        try copy.follow(chunk.bytes, into: SeenReplay())
    }

    @Test func `a second header behind the first is refused`() throws {
        let (copy, chunk) = try nodes()
        let header = String(decoding: chunk.bytes[chunk.bodyBytes...].dropLast(), as: UTF8.self)
        let second = Forged.bytes([Forged.relabel(header, chunk.next)])
        let error = #expect(throws: ChunkFault.self) {
            try copy.follow(chunk.bytes + second, into: SeenReplay())
        }
        #expect(error?.description.contains("follows the header of a segment") == true)
    }

    @Test func `a line of another place in the log is refused`() throws {
        let (copy, chunk) = try nodes()
        let (next, chain) = copy.end
        let good = mark(next: next, chain: chain)
        let late = try line(good, "\"b\":\(next)", "\"b\":\(next + 1)", after: chain)
        let header = try #require(chunk.nextSegment).header
        var writer = LineWriter(chain: chain, next: next, lineLimit: 1 << 16)
        _ = writer.line("segment", time: PaymentTesting.Samples.noon, origin: nil) {
            header.encode(into: &$0)
        }
        for bytes in [mark(next: next + 1, chain: chain), late, writer.bytes] {
            #expect(throws: ChunkFault.self) { try copy.follow(bytes, into: SeenReplay()) }
        }
        #expect(copy.end == (next, chain))
        try copy.follow(good, into: SeenReplay())
        #expect(copy.end.next == next + 1)
    }

    @Test func `a line of another place in a file is damage, and so is one that is too long`()
        throws
    {
        let good = mark(next: 1, chain: 0)
        let late = try line(good, "\"b\":1", "\"b\":2")
        func step(_ bytes: [UInt8], lineLimit: Int) throws -> SegmentScanner.Step {
            rig.world.put("lines", bytes)
            var scanner = SegmentScanner(
                file: try rig.disk.open("lines", .read), limit: bytes.count, expected: 1,
                sliceBytes: 16, lineLimit: lineLimit)
            return try scanner.next()
        }
        guard case .line = try step(good, lineLimit: 1 << 16) else {
            Issue.record("the line is not read")
            return
        }
        for (bytes, limit, reason) in [
            (mark(next: 2, chain: 0), 1 << 16, .sequenceGap), (late, 1 << 16, .sequenceGap),
            (good, 40, .lineTooLong),
        ] as [([UInt8], Int, RecoveryRefusal.Reason)] {
            guard case .damaged(reason) = try step(bytes, lineLimit: limit) else {
                Issue.record("the line is not damage: \(reason)")
                continue
            }
        }
    }

    @Test(arguments: [(#""segment":1"#, #""segment":2"#), ("", "")])
    func `a seed that is not the beginning of its store is refused`(old: String, new: String) throws
    {
        let seed = try open(origin, from: nil).seed(limit: 1 << 16)
        let first = try #require(seed.firstLines)
        let store = try #require(seed.store).description
        let lines =
            old.isEmpty
            ? try line(first, store, UniqueID(high: 1, low: 2).description)
            : try line(first, old, new)
        let error = #expect(throws: StorageError.self) {
            try open(rig, from: StoreSeed(format: seed.format, firstLines: lines))
        }
        #expect(error?.description.contains("does not begin with its first segment") == true)
    }

    @Test func `a chunk is split between lines, where the limit is`() throws {
        let (_, chunk) = try nodes()
        var one = chunk
        one.nextSegment = nil
        let lengths = chunk.bytes.split(separator: UInt8(ascii: "\n")).map { $0.count + 1 }
        for limit in [1, lengths[0], lengths[0] + lengths[1], chunk.bytes.count - 1] {
            let parts = one.parts(upTo: limit)
            #expect(parts.count > 1)
            #expect(parts.flatMap(\.bytes) == chunk.bytes)
            #expect(parts.allSatisfy { !$0.bytes.isEmpty })
            #expect(parts.allSatisfy { $0.bytes.count <= limit || $0.next == $0.first + 1 })
        }
        #expect(one.parts(upTo: lengths[0] + lengths[1]).first?.next == chunk.first + 2)
        #expect(LogChunk.lines(chunk.bytes, first: chunk.first, from: chunk.first - 1) == nil)
    }

    @Test func `a mark that cannot be synced ends the copy`() throws {
        let (copy, chunk) = try nodes()
        let body = Array(chunk.bytes.prefix { $0 != UInt8(ascii: "\n") }) + [UInt8(ascii: "\n")]
        try copy.follow(body, into: SeenReplay())
        for call in [MemoryDiskFault.Call.sync, .syncData] {
            rig.world.inject(MemoryDiskFault(call, namePrefix: "lock", .fail(errno: EIO)))
        }
        #expect(throws: JournalFailure.self) { try copy.sync() }
        rig.world.removeFaults()
        #expect(throws: JournalFailure.self) {
            try copy.follow(mark(next: copy.end.next, chain: copy.end.chain), into: SeenReplay())
        }
    }
}
