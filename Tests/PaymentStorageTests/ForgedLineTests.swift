import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("Lines whose checksums are right")
struct ForgedLineTests {
    /// A change of the lines of a segment with a header and three events, and the refusal of a start.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: RecoveryRefusal.Reason
        let edit: @Sendable (inout [String]) -> Void

        init(
            _ name: String, _ reason: RecoveryRefusal.Reason,
            _ edit: @escaping @Sendable (inout [String]) -> Void
        ) {
            testDescription = name
            self.reason = reason
            self.edit = edit
        }
    }

    static let cases = [
        Case("a line follows the seal", .malformedLine) { lines in
            lines += [Forged.seal(5, count: 4), Forged.relabel(lines[1], 6)]
        },
        Case("the seal counts other lines", .malformedLine) { $0.append(Forged.seal(5, count: 3)) },
        Case("there is a second header", .malformedLine) { lines in
            lines.append(Forged.relabel(lines[0], 5))
        },
        Case("the first line is no header", .malformedLine) { lines in
            lines[0].replace(#""t":"segment""#, with: #""t":"segments""#)
        },
        Case("the header is of another program", .malformedLine) { lines in
            lines[0].replace("payqueued-journal", with: "payqueued-journey")
        },
        Case("the header is of another version", .malformedLine) { lines in
            lines[0].replace(#""version":1"#, with: #""version":2"#)
        },
        Case("the header is that of a later segment", .brokenLink) { lines in
            lines[0].replace(#""segment":1"#, with: #""segment":2"#)
        },
        Case("the header names events before it", .brokenLink) { lines in
            lines[0].replace(#""last":0"#, with: #""last":1"#)
        },
        Case("the header counts bytes of a store before it", .brokenLink) { lines in
            lines[0].replace(#","version":1"#, with: #","storeBytes":9,"version":1"#)
        },
    ]

    @Test("are refused where they cannot be", arguments: cases)
    func refused(_ example: Case) throws {
        let world = try MemoryDiskWorld.unmarked(events: 3)
        #expect(try StorageRig(world: world.afterKill()).refusal() == nil)
        world.forge(world.segments[0], example.edit)
        #expect(try StorageRig(world: world).refusal()?.reason == example.reason)
    }

    @Test("are taken at the end of a segment, sealed or not")
    func taken() throws {
        let world = try MemoryDiskWorld.unmarked(events: 3)
        world.forge(world.segments[0]) { lines in
            lines += [Forged.relabel(lines[1], 5), Forged.seal(6, count: 5)]
        }
        #expect(try StorageRig(world: world).open().records.numbers == [1, 2, 3, 1])
    }

    @Test("do not hide a wrong digest from a deep verification")
    func wrongDigests() throws {
        let sealed = try MemoryDiskWorld.unmarked(events: 3)
        sealed.forge(sealed.segments[0]) { $0.append(Forged.seal(5, count: 4)) }
        let linked = try MemoryDiskWorld.unmarked(events: 120)
        let last = linked.segments[linked.segments.count - 1]
        linked.forge(last) { $0[0].replace(/"sha256":"../, with: #""sha256":"xx"#) }
        for world in [sealed, linked] {
            let disk = MemoryDisk(world: world)
            #expect(JournalVerifier.verify(disk).findings == [])
            let deep = JournalVerifier.verify(disk, isDeep: true)
            #expect(deep.findings.map(\.severity) == [.damaged])
        }
    }

    @Test("are refused in the place of a line that the lock file names")
    func anotherLine() throws {
        let world = try MemoryDiskWorld.unmarked(events: 3)
        var mark = ProgressMark(store: try world.format().store)
        (mark.sequence, mark.checksum) = (3, 1)
        try world.put(mark)
        #expect(try StorageRig(world: world).refusal()?.reason == .brokenLink)
    }

    @Test("are not of another program if one was understood before")
    func foreignRecords() throws {
        let world = try MemoryDiskWorld.unmarked(events: 1)
        for isFirst in [false, true] {
            world.forge(world.segments[0]) { lines in
                if isFirst { lines.removeSubrange(1...) }
                lines.append(Forged.line(lines.count + 1, "future", "{}"))
            }
            let report = JournalVerifier.verify(MemoryDisk(world: world)) {
                LocalLog.visitor(SeenReplay())
            }
            #expect(report.exitCode == 1 && report.hasForeignRecords == isFirst)
        }
    }
}

/// Snapshots in a directory that they may not be of.
@Suite("A snapshot that is whole")
struct ForeignSnapshotTests {
    /// A store with a snapshot behind each twenty of its events, as a kill left it.
    private func store(seed: UInt64 = 1, snapshots: Int = 1) throws -> MemoryDiskWorld {
        var rig = StorageRig()
        rig.environment = .foreseeable(seed: seed)
        let journal = try rig.open().journal
        for round in 0..<UInt64(snapshots) {
            for number in round * 20 + 1...round * 20 + 20 {
                try journal.commitNumbers(number...number)
            }
            let ticket = try #require(try journal.log.beginSnapshot())
            let receipt = try LocalLog.writeSnapshot(ticket) { body in
                body(.counters(incarnation: round * 20 + 20 + seed))
            }
            try journal.log.snapshotWasWritten(receipt)?.perform()
        }
        try journal.commitNumbers(100...100)
        let world = rig.world.afterKill()
        try world.put(ProgressMark(store: world.format().store))
        try #require(world.snapshots.count == snapshots)
        return world
    }

    @Test("is refused if the store or the epoch is another one")
    func foreign() throws {
        for isOtherStore in [false, true] {
            let world = try store()
            var format = try world.format()
            if isOtherStore { format.store = UniqueID(high: 1, low: 2) }
            if !isOtherStore { format.epoch = "another" }
            world.put("format.json", format.bytes)
            try world.put(ProgressMark(store: format.store))
            let refusal = try StorageRig(world: world).refusal()
            #expect(refusal?.reason == .foreignFile && refusal?.file == world.snapshots[0])
        }
    }

    @Test("is refused if the lock file names another last line of it")
    func anotherLastLine() throws {
        let world = try store()
        let name = world.snapshots[0]
        var mark = ProgressMark(store: try world.format().store)
        mark.sequence = try #require(FileName.snapshotLast(name))
        mark.checksum = 1
        try world.put(mark)
        let refusal = try StorageRig(world: world).refusal()
        #expect(refusal?.reason == .brokenLink && refusal?.file == name)
    }

    @Test("is found by a deep verification if it is an older one of another store or name")
    func older() throws {
        let world = try store(snapshots: 2)
        let name = world.snapshots[0]
        #expect(JournalVerifier.verify(MemoryDisk(world: world), isDeep: true).findings == [])
        let foreign = world.afterKill()
        foreign.put(name, try #require(try store(seed: 9, snapshots: 2).files[name]))
        let misnamed = world.afterKill()
        misnamed.drop(name)
        let last = try #require(FileName.snapshotLast(name))
        misnamed.put(FileName.snapshot(last: last - 1), try #require(world.files[name]))
        for (world, word) in [(foreign, "foreignFile"), (misnamed, "another snapshot")] {
            let disk = MemoryDisk(world: world)
            #expect(JournalVerifier.verify(disk).findings == [])
            let findings = JournalVerifier.verify(disk, isDeep: true).findings
            #expect(findings.map(\.file) == [world.snapshots[0]])
            #expect(findings.first?.detail.contains(word) == true)
        }
    }

    @Test("is refused if its receiver does not know a line")
    func unknownLine() throws {
        let report = JournalVerifier.verify(MemoryDisk(world: try store())) { RefusesItems() }
        #expect(report.findings.map(\.severity) == [.damaged])
    }

    /// A receiver that accepts no line of a snapshot.
    private final class RefusesItems: RecoveryVisitor {
        func snapshotLine(_ content: LineContent) -> Bool { false }
        func snapshotIsComplete(lastEvent: SequenceNumber) {}
        func event(_ line: JournalLine) -> Bool { true }
        func progress(_ progress: RecoveryProgress) {}
    }

    @Test("is no beginning of a repair if its store or its name is another one")
    func repair() throws {
        let world = try store()
        let name = world.snapshots[0]
        let bytes = try #require(world.files[name])
        for isForeign in [false, true] {
            let spoilt = world.afterKill()
            if isForeign {
                spoilt.put(name, try #require(try store(seed: 9).files[name]))
            } else {
                spoilt.drop(name)
                let last = try #require(FileName.snapshotLast(name))
                spoilt.put(FileName.snapshot(last: last + 1), bytes)
            }
            let target = MemoryDiskWorld()
            let survey = try JournalRepair.repair(
                MemoryDisk(world: spoilt), into: MemoryDisk(world: target), acceptedLoss: 0,
                environment: .foreseeable(seed: 3)
            ).survey
            #expect(survey.lost == 0)
            let opened = try StorageRig(world: target).open()
            #expect(opened.items == [])
            #expect(opened.records.numbers == Array(1...20) + [100])
        }
    }
}
