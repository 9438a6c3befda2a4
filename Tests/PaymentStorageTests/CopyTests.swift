import PaymentCore
import PaymentTesting
import StrictJSON
import Testing

@testable import PaymentStorage

@Suite("A copy of a log that another place commits")
struct CopyTests {
    /// The node that makes the log.
    private let origin = StorageRig()

    /// A journal that becomes a copy.
    private func open(
        _ rig: StorageRig, from seed: StoreSeed? = nil, _ replay: any LogReplay = SeenReplay()
    ) throws -> CopiedLog {
        try LocalLog.read(in: rig.stateDirectory(), settings: rig.settings, replay)
            .openCopy(from: seed).copy
    }

    /// Appends records, as one batch.
    private func seal(
        _ copy: CopiedLog, _ count: Int, endsSegment: Bool = false
    ) throws -> LogChunk {
        for _ in 0..<count {
            _ = copy.journal.append(
                .countryAssumed(PaymentTesting.Samples.germany), time: PaymentTesting.Samples.noon,
                origin: nil)
        }
        return try #require(copy.seal(endsSegment: endsSegment))
    }

    /// The files of the log by name, without what is filled ahead.
    private func files(_ rig: StorageRig) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try rig.disk.list() where name.hasPrefix("journal-") {
            let bytes = try rig.disk.open(name, .read).readAll(limit: .max)
            let end = bytes.lastIndex { $0 != UInt8(ascii: "\n") } ?? -1
            files[name] = Array(bytes[...end])
        }
        return files
    }

    /// Changes a byte of a line in the first segment, whose position is given by the number of lines.
    private func damage(_ rig: StorageRig, lineAt position: (Int) -> Int) throws {
        let name = try #require(try rig.disk.list().first { $0.hasPrefix("journal-") })
        let file = try rig.disk.open(name, .update)
        let lines = try file.readAll(limit: .max).split(separator: UInt8(ascii: "\n"))
        let offset = lines.prefix(position(lines.count)).reduce(0) { $0 + $1.count + 1 }
        try file.writeAll([UInt8(ascii: "x")], at: offset + 20)
    }

    @Test("ends a segment before a limit of file sizes")
    func limitedSegments() throws {
        let journal = try open(origin)
        origin.world.setLongestFile(6000)
        for _ in 1...40 { try journal.write(seal(journal, 4)) }
        let lengths = try files(origin).map(\.value.count)
        #expect(lengths.count > 3 && lengths.allSatisfy { $0 < 6000 }, "\(lengths)")
        #expect(lengths.filter { $0 >= 4500 }.count >= lengths.count - 1, "\(lengths)")
    }

    @Test("has the same files, byte for byte, and so has a start after it")
    func equalFiles() throws {
        let journal = try open(origin)
        let seed = try journal.seed(limit: 1 << 16)
        let rig = StorageRig(policy: JournalPolicy(segmentBytes: 1 << 20, reserveBytes: 0))
        let seen = SeenReplay()
        let copy = try open(rig, from: seed, seen)
        var made = 0
        for round in 1...40 {
            let chunk = try seal(journal, round, endsSegment: round == 3)
            try journal.write(chunk)
            for part in chunk.parts(upTo: 2000) { try copy.follow(part.bytes, into: seen) }
            made += round
        }
        #expect(seen.records.count == made)
        #expect(try files(rig) == files(origin))
        #expect(try files(origin).count > 10)
        #expect(copy.end == journal.end)
        #expect(try copy.journal.records(after: 0, count: made + 1).count == made)
        for (node, journal) in [(origin, journal), (rig, copy)] {
            try journal.journal.close()
            let next = StorageRig(world: node.world.afterPowerCut { false })
            let again = try next.open()
            #expect(again.records.count == made)
            #expect(again.report.wasClean)
        }
    }

    @Test("commits nothing and shows nothing before it is written")
    func proposed() throws {
        let journal = try open(origin)
        let first = try seal(journal, 2)
        let second = journal.journal.append(
            .countryAssumed(nil), time: PaymentTesting.Samples.noon, origin: nil)
        #expect(try journal.journal.records(after: 0, count: 9).isEmpty)
        try journal.write(first)
        #expect(try journal.journal.records(after: 0, count: 9).count == 2)
        try journal.write(try seal(journal, 0))
        #expect(try journal.journal.records(after: 0, count: 9).last?.sequence == second)
    }

    @Test("refuses lines that do not continue it, and stays as it was")
    func foreignLines() throws {
        let journal = try open(origin)
        let rig = StorageRig()
        let copy = try open(rig, from: journal.seed(limit: 1 << 16))
        let chunk = try seal(journal, 3, endsSegment: true)
        let before = try files(rig)
        var wrong: [[UInt8]] = [[], Array(chunk.bytes.dropLast())]
        for index in stride(from: 0, to: chunk.bytes.count, by: 7) {
            var bytes = chunk.bytes
            bytes[index] ^= 1
            wrong.append(bytes)
        }
        let lines = chunk.bytes.split(separator: UInt8(ascii: "\n"))
        let withoutHeader = lines.dropLast().joined(separator: [UInt8(ascii: "\n")])
        wrong.append(Array(withoutHeader) + [UInt8(ascii: "\n")])
        wrong.append(chunk.bytes + chunk.bytes)
        for bytes in wrong.dropFirst() {
            #expect(throws: ChunkFault.self) { try copy.follow(bytes, into: SeenReplay()) }
        }
        #expect(try files(rig) == before)
        try copy.follow(chunk.bytes, into: SeenReplay())
        try journal.write(chunk)
        #expect(try files(rig) == files(origin))
    }

    @Test("passes over a line of an unknown type only if it is optional", arguments: [true, false])
    func unknownType(isOptional: Bool) throws {
        let journal = try open(origin)
        let copy = try open(StorageRig(), from: try journal.seed(limit: 1 << 16))
        _ = journal.journal.log.append(
            "hint", time: PaymentTesting.Samples.noon, origin: nil, isOptional: isOptional
        ) { $0.raw("{}") }
        let chunk = try seal(journal, 1)
        let seen = SeenReplay()
        if isOptional {
            try copy.follow(chunk.bytes, into: seen)
            #expect(seen.records.count == 1)
        } else {
            #expect(throws: PayloadFault.self) { try copy.follow(chunk.bytes, into: seen) }
            #expect(seen.records.isEmpty)
        }
    }

    @Test("has a backup of what is committed, not of what is proposed")
    func backup() throws {
        let copy = try open(origin)
        try copy.write(try seal(copy, 2))
        for _ in 0..<3 {
            _ = copy.journal.append(
                .countryAssumed(nil), time: PaymentTesting.Samples.noon, origin: nil)
        }
        let end = copy.end
        let ticket = try copy.journal.log.beginBackup()
        #expect(ticket.sequence == copy.journal.log.writer.durableHead)
        _ = try BackupWriter.write(ticket, at: PaymentTesting.Samples.noon)
        copy.journal.log.endBackup()
        // The batch is still to be committed, elsewhere first.
        #expect(copy.end.next == end.next && copy.end.chain == end.chain)
        try copy.write(try #require(copy.seal()))
        #expect(try copy.journal.records(after: 0, count: 9).count == 5)
    }

    @Test("gives its lines to a new copy while they are in one segment, and not too many")
    func seeds() throws {
        let journal = try open(origin)
        try journal.write(try seal(journal, 3))
        let lines = try #require(try journal.seed(limit: 1 << 16).firstLines)
        #expect(try journal.seed(limit: lines.count).firstLines == lines)
        #expect(try journal.seed(limit: lines.count - 1).firstLines == nil)
        try journal.write(try seal(journal, 1, endsSegment: true))
        #expect(try journal.seed(limit: 1 << 16).firstLines == nil)
    }

    @Test("has no chunk of an empty batch, and syncs only what was written")
    func nothingToDo() throws {
        let journal = try open(origin)
        #expect(journal.seal() == nil)
        #expect(try journal.follow([], into: SeenReplay()) == nil)
        let syncs = { [world = origin.world] in world.calls(.syncData) + world.calls(.sync) }
        let before = syncs()
        try journal.sync()
        #expect(syncs() == before)
        try journal.write(try seal(journal, 1))
        try journal.sync()
        #expect(syncs() > before)
    }

    @Test(
        "fills the next segment ahead only if segments are filled ahead", arguments: [true, false])
    func filling(isFilling: Bool) throws {
        let policy = JournalPolicy(
            segmentBytes: 8192, firstPrefilledBytes: 2048, prefillsSegments: isFilling,
            reserveBytes: 0)
        let rig = StorageRig(policy: policy)
        let copy = try open(rig)
        try copy.write(try seal(copy, 12))
        #expect(rig.world.files.keys.contains { $0.hasPrefix("spare") } == isFilling)
    }

    @Test("has a mark of what it synced, and a start writes all behind it again")
    func rewritten() throws {
        let copy = try open(origin)
        try copy.write(try seal(copy, 3))
        try copy.sync()
        #expect(origin.world.afterPowerCut { false }.files["lock"] == origin.world.files["lock"])
        for _ in 0..<3 { try copy.write(try seal(copy, 2)) }
        let killed = StorageRig(world: origin.world.afterKill())
        #expect(try killed.open().report.linesRewritten == 6)
        let next = StorageRig(world: killed.world.afterPowerCut { false })
        #expect(try next.open().records.count == 9)
    }

    @Test("has a ticket for a snapshot at the end of a segment, until it is closed")
    func tickets() throws {
        let journal = try open(origin)
        #expect(journal.snapshotTicket(behind: try seal(journal, 1)) == nil)
        let chunk = try seal(journal, 1, endsSegment: true)
        #expect(journal.snapshotTicket(behind: chunk) != nil)
        try journal.journal.close()
        #expect(journal.snapshotTicket(behind: chunk) == nil)
    }

    @Test("takes nothing once it is closed")
    func closed() throws {
        let journal = try open(origin)
        let rig = StorageRig()
        let copy = try open(rig, from: try journal.seed(limit: 1 << 16))
        try copy.follow(try seal(journal, 1).bytes, into: SeenReplay())
        let chunk = try seal(journal, 2)
        try copy.journal.close()
        let before = rig.world.files
        #expect(throws: JournalFailure.self) {
            try copy.follow(chunk.bytes, into: SeenReplay())
        }
        try copy.sync()
        #expect(rig.world.files == before)
        let again = StorageRig(world: rig.world.afterPowerCut { false })
        #expect(try again.open().report.wasClean)
    }

    /// A log that was a copy, and to which its owner has added two batches.
    private func noLongerCopy() throws -> StorageRig {
        let copy = try open(origin)
        try copy.write(try seal(copy, 2))
        try copy.journal.close()
        let rig = StorageRig(world: origin.world.afterKill())
        let journal = try rig.open().journal
        for _ in 0..<2 {
            _ = journal.append(.countryAssumed(nil), time: PaymentTesting.Samples.noon, origin: nil)
            try journal.commit()
        }
        return rig
    }

    @Test(
        "a log that is no copy any more keeps the rule that each batch waits for the sync of the one before"
    )
    func copyNoMore() throws {
        let rig = try noLongerCopy()
        try damage(rig) { $0 - 2 }
        let again = StorageRig(world: rig.world.afterKill())
        #expect(try again.refusal()?.reason == .badChecksum)
    }

    @Test("a log that is no copy any more says so on stable storage before it goes on")
    func copyNoMoreDurably() throws {
        let rig = try noLongerCopy()
        let next = StorageRig(world: rig.world.afterPowerCut { false })
        try damage(next) { $0 - 2 }
        #expect(try next.refusal()?.reason == .badChecksum)
    }

    @Test("gets no mark of its own when it is idle or closed")
    func idle() throws {
        let first = try open(origin)
        try first.write(try seal(first, 2))
        let rig = StorageRig(world: origin.world.afterKill())
        let copy = try open(rig)
        let before = try files(rig)
        try copy.journal.markIdle()
        try copy.journal.close()
        #expect(try files(rig) == before)
        #expect(try StorageRig(world: rig.world.afterKill()).open().report.wasClean)
    }

    @Test(
        "is on stable storage when it is closed, which is a clean stop unless lines are missing",
        arguments: [true, false])
    func closedDurably(isWhole: Bool) throws {
        let copy = try open(origin)
        try copy.write(try seal(copy, 2))
        if !isWhole { _ = try seal(copy, 1) }
        try copy.journal.close()
        let next = try StorageRig(world: origin.world.afterPowerCut { false }).open()
        #expect(next.records.count == 2 && next.report.wasClean == isWhole)
    }

    @Test("finds damage in what was synced, also while it is in use")
    func damageBeforeMark() throws {
        let copy = try open(origin)
        for _ in 0..<3 { try copy.write(try seal(copy, 4)) }
        try copy.sync()
        try damage(origin) { _ in 6 }
        let report = JournalVerifier.verify(origin.disk, isDeep: true)
        #expect(report.findings.map(\.severity) == [.damaged])
        let again = StorageRig(world: origin.world.afterKill())
        #expect(try again.refusal()?.reason == .badChecksum)
    }

    @Test(
        "a start that is killed while it cuts a torn copy that is exported is no different from one that is not"
    )
    func killedExport() throws {
        let copy = try open(origin)
        for _ in 0..<6 { try copy.write(try seal(copy, 6)) }
        // Every second sector of what was not synced is on the disk.
        var sectors = 0
        let torn = origin.world.afterPowerCut {
            sectors += 1
            return sectors % 2 == 0
        }
        let expected = try StorageRig(world: torn.afterKill()).open().records.count
        #expect(expected < 36)
        var call = 1
        while true {
            let world = torn.afterKill()
            world.cutPower(atCall: call)
            if (try? StorageRig(world: world).open()) != nil { break }
            let next = StorageRig(world: world.afterPowerCut { call % 2 == 0 })
            #expect(try next.open().records.count == expected)
            call += 1
        }
        #expect(call > 10)
    }

    /// The files of a copy that end with a seal, which the lock file names, and the chunk with that seal.
    private func sealedFiles() throws -> (files: [String: [UInt8]], chunk: LogChunk) {
        let journal = try open(origin)
        let chunk = try seal(journal, 3, endsSegment: true)
        try journal.write(chunk)
        let world = origin.world.afterKill()
        world.drop(world.segments[1])
        let bytes = try #require(world.files[world.segments[0]])
        let start = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
        var mark = ProgressMark(store: try world.format().store)
        mark.isCopy = true
        mark.sequence = chunk.next - 2
        mark.checksum = LineFormat.checksum(ofLineAt: start, in: bytes)
        try world.put(mark)
        return (world.files, chunk)
    }

    @Test(
        "removes a seal without a successor, wherever the power fails, and reads it again",
        arguments: [false, true])
    func removedSeal(survives: Bool) throws {
        let (sealed, chunk) = try sealedFiles()
        // Nothing is filled ahead, so that nothing else syncs the segment.
        let policy = JournalPolicy(segmentBytes: 8192, firstPrefilledBytes: 0, reserveBytes: 0)
        let whole = StorageRig(world: try MemoryDiskWorld(files: sealed), policy: policy)
        let prepared = whole.world.callCount
        #expect(try open(whole).end.next == chunk.next - 2)
        let calls = whole.world.callCount - prepared
        #expect(JournalVerifier.verify(whole.disk).last == chunk.next - 3)
        let segment = whole.world.segments[0]
        let durable = whole.world.afterPowerCut { false }.files[segment]
        #expect(durable == whole.world.files[segment])
        for call in 1...calls + 1 {
            let rig = StorageRig(world: try MemoryDiskWorld(files: sealed), policy: policy)
            rig.world.cutPower(atCall: prepared + call)
            _ = try? open(rig)
            let next = StorageRig(world: rig.world.afterPowerCut { survives }, policy: policy)
            let copy = try open(next)
            #expect(copy.end.next == chunk.next - 2, "call \(call)")
            let rest = try #require(
                LogChunk.lines(chunk.bytes, first: chunk.first, from: copy.end.next))
            try copy.follow(rest, into: SeenReplay())
            #expect(try files(next) == files(origin), "call \(call)")
        }
    }

    @Test("removes unfinished files of its directory once the lock file names its owner")
    func leftovers() throws {
        let seed = try open(origin).seed(limit: 1 << 16)
        let name = "snapshot-00000000000000000009.json.tmp"
        let rig = StorageRig()
        rig.world.put(name, [1])
        rig.world.inject(MemoryDiskFault(.write, namePrefix: "lock", .fail(errno: 5)))
        #expect(throws: StorageError.self) { try open(rig, from: seed) }
        #expect(rig.world.files[name] == [1])
        let next = StorageRig(world: rig.world.afterKill())
        _ = try open(next, from: seed)
        #expect(next.world.files[name] == nil)
    }

    /// Of the sectors that were not synced none, each, each second, or all but each third reach the disk.
    @Test(
        "loses nothing that was synced at any power cut, and reads the rest again", arguments: 0...3
    )
    func powerCuts(kind: Int) throws {
        let journal = try open(origin)
        let seed = try journal.seed(limit: 1 << 16)
        var chunks: [LogChunk] = []
        for round in 1...8 {
            let chunk = try seal(journal, 12, endsSegment: round == 4)
            try journal.write(chunk)
            chunks.append(chunk)
        }
        var call = 1
        while true {
            let rig = StorageRig()
            rig.world.cutPower(atCall: call)
            var synced: UInt64 = 0
            var isCut = false
            do {
                let copy = try open(rig, from: seed)
                for (number, chunk) in chunks.enumerated() {
                    try copy.follow(chunk.bytes, into: SeenReplay())
                    // Some chunks wait for the next sync.
                    if number % 3 == 1 { try copy.sync() }
                    if number % 3 == 1 || chunk.endsSegment { synced = chunk.next }
                }
            } catch { isCut = true }
            // The rest is read from the other place, also from the middle of a chunk.
            var sectors = 0
            let next = StorageRig(
                world: rig.world.afterPowerCut {
                    sectors += 1
                    return [false, true, sectors % 2 == 0, sectors % 3 != 1][kind]
                })
            let copy = try open(next, from: seed)
            #expect(copy.end.next >= synced)
            for chunk in chunks where chunk.next > copy.end.next {
                let from = max(chunk.first, copy.end.next)
                let rest = try #require(LogChunk.lines(chunk.bytes, first: chunk.first, from: from))
                try copy.follow(rest, into: SeenReplay())
            }
            #expect(try files(next) == files(origin))
            guard isCut else { break }
            call += 1
        }
        #expect(call > 50)
    }
}
