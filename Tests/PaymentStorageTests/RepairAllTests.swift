import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("A repair of a whole state directory")
struct RepairAllTests {
    private let target = MemoryDiskWorld()

    /// A state directory after a clean stop, with a key, and with what a repair leaves behind.
    private func source() throws -> MemoryDiskWorld {
        let (rig, journal) = try Backups.journal()
        try journal.close()
        var files = rig.world.files
        files["keys/k.pem"] = [1, 2, 3]
        files["quarantine/x"] = [4]
        files["backups/y"] = [5]
        return try MemoryDiskWorld(files: files)
    }

    private func repair(
        _ source: MemoryDiskWorld, loss: UInt64 = 0
    ) throws(BackupFailure) {
        try JournalRepair.repairAll(
            MemoryDisk(world: source), into: MemoryDisk(world: target), acceptedLoss: loss,
            environment: .foreseeable(seed: 3), visitor: StateRig.visitor)
    }

    private func failure(_ source: MemoryDiskWorld, loss: UInt64 = 0) -> String {
        let error = #expect(throws: BackupFailure.self) { try repair(source, loss: loss) }
        return error?.description ?? ""
    }

    @Test("makes a store with the same content and the same keys, all of it on the disk")
    func whole() throws {
        try repair(source())
        let next = target.afterPowerCut { false }
        #expect(next.files["keys/k.pem"] == [1, 2, 3])
        #expect(!next.files.keys.contains { $0.hasPrefix("quarantine") || $0.hasPrefix("backups") })
        let opened = try StorageRig(world: next).open()
        #expect(opened.items == Samples.items)
        #expect(opened.records.numbers == Array(1...80))
    }

    @Test("makes a store of a folder, all of it on the disk")
    func folder() throws {
        let rig = StorageRig()
        let state = try rig.stateDirectory()
        _ = try state.disk.directory("sandbox", create: true)
        let (notes, _) = try RecordJournal<Note>.open(
            in: state.subdirectory("sandbox"), settings: rig.settings, load: { _, _ in },
            replay: { _, _, _ in })
        _ = notes.append(Note(text: "one"), time: Samples.time)
        try notes.commit()
        try repair(rig.world.afterKill())
        let next = target.afterPowerCut { false }
        let folder = try MemoryDisk(world: next).directory("sandbox", create: false)
        let report = JournalVerifier.verify(folder, isDeep: true)
        #expect(report.findings == [] && !report.isEmpty)
    }

    @Test("is refused while a process uses the directory")
    func inUse() throws {
        let source = try source()
        source.lockHolder = 5
        #expect(failure(source).contains("process 5 uses the state directory"))
        #expect(target.files.isEmpty)
    }

    @Test("is refused for another loss than there is")
    func otherLoss() throws {
        #expect(failure(try source(), loss: 1).contains("0 lines would be lost, not 1"))
        #expect(target.files.isEmpty)
    }

    @Test("is not written over anything")
    func notEmpty() throws {
        target.put("mine", [1])
        #expect(failure(try source()).contains("is not empty"))
        let source = MemoryDisk(world: try source())
        let occupied = StorageRig()
        _ = try occupied.open()
        let error = #expect(throws: BackupFailure.self) {
            try JournalRepair.repair(source, into: occupied.disk, acceptedLoss: 0)
        }
        #expect(error?.description.contains("holds a journal") == true)
    }

    @Test("is no store if it does not read back as it was written")
    func corrupted() throws {
        target.inject(MemoryDiskFault(.write, namePrefix: "journal-", .corrupt))
        #expect(failure(try source()).contains("of the new store"))
        #expect(target.files["format.json"] == nil)
    }

    @Test("has the receiver complete the snapshot before the lines behind it")
    func snapshot() throws {
        // One judges the directory, another reads what is left of it.
        var receivers: [SeenReplay] = []
        let survey = try JournalRepair.survey(MemoryDisk(world: source())) {
            receivers.append(SeenReplay())
            return LocalLog.visitor(receivers[receivers.count - 1])
        }
        #expect(survey.lost == 0 && receivers.count > 1)
        #expect(receivers.allSatisfy { $0.loadedUpTo != nil })
    }

    @Test("has a format file only behind its lock file, wherever the power fails")
    func powerCuts() throws {
        let source = MemoryDisk(world: try source())
        var call = 1
        while true {
            let world = MemoryDiskWorld()
            world.cutPower(atCall: call)
            let end = Result {
                try JournalRepair.repairAll(
                    source, into: MemoryDisk(world: world), acceptedLoss: 0,
                    environment: .foreseeable(seed: 3), visitor: StateRig.visitor)
            }
            for survives in [true, false] {
                let next = world.afterPowerCut { survives }
                guard next.files["format.json"] != nil else { continue }
                #expect(next.files["lock"] != nil)
                let report = JournalVerifier.verify(MemoryDisk(world: next), isDeep: true)
                #expect(report.findings == [])
            }
            if case .success = end { break }
            call += 1
        }
        #expect(call > 20)
    }

    /// A log with events, and the letters of lines that no version can read, each in a batch of its own.
    private func log(_ letters: String) throws -> MemoryDiskWorld {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for (number, letter) in zip(UInt64(1)..., letters) {
            if letter == "?" {
                _ = journal.log.append("hint", time: Samples.time, origin: nil) { $0.raw("{}") }
                try journal.commit()
            } else {
                try journal.commitNumbers(number...number)
            }
        }
        try journal.close()
        return rig.world.afterKill()
    }

    @Test("loses the lines that it cannot read, each named, and no other")
    func unreadable() throws {
        let source = try log("123??6?8")
        let survey = try JournalRepair.survey(MemoryDisk(world: source)) {
            LocalLog.visitor(SeenReplay())
        }
        #expect(survey.lostRanges.map(\.count) == [2, 1])
        try repair(source, loss: 3)
        let opened = try StorageRig(world: target).open()
        #expect(opened.records.numbers == [1, 2, 3, 6, 8])
    }

    @Test("names what stands in lines that are damaged")
    func identifiers() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit(Samples.all)
        try journal.close()
        let world = rig.world.afterKill()
        let disk = MemoryDisk(world: world)
        #expect(try JournalRepair.survey(disk, visitor: { AnyContent() }).identifiers == [])
        let name = world.segments[0]
        let lines = Forged.texts(try #require(world.files[name]))
        world.damage(name, line: try #require(lines.firstIndex { $0.contains(#""t":"added""#) }))
        let survey = try JournalRepair.survey(disk) { AnyContent() }
        #expect(survey.lost == 1 && !survey.identifiers.isEmpty)
    }

    @Test(
        "begins no segment where an event is, whatever a file is called",
        arguments: [false, true])
    func wrongName(isBehindGap: Bool) throws {
        let (rig, journal) = try Backups.journal()
        var records = try journal.records(after: 0, count: 500).suffix(80)
        try journal.close()
        let world = rig.world.afterKill()
        let names = world.segments
        try #require(names.count > 2)
        let name = names[names.count - 2]
        let lines = Forged.texts(try #require(world.files[name]))
        let inside = Forged.sequence(of: lines[lines.count / 2])
        if isBehindGap {
            world.damage(name, line: lines.count / 2 - 1)
            records.removeAll { $0.sequence == inside - 1 }
            #expect(records.count == 79)
        }
        var bytes = try #require(world.files[names[names.count - 1]])
        bytes[30] ^= 1
        world.drop(names[names.count - 1])
        world.put(FileName.segment(first: inside), bytes)
        let survey = try JournalRepair.survey(MemoryDisk(world: world)) { AnyContent() }
        try repair(world, loss: survey.lost)
        #expect(survey.lost <= (isBehindGap ? 3 : 2))
        let found = try StorageRig(world: target).open().records.map(\.sequence)
        #expect(found == records.map(\.sequence))
    }

    @Test("the numbers of a directory count its files by their kinds")
    func stats() throws {
        let (rig, journal) = try Backups.journal()
        try journal.close()
        let disk = MemoryDisk(world: rig.world)
        let stats = try JournalStats(disk)
        #expect(stats.segments.count == rig.world.segments.count)
        #expect(stats.snapshots.count == 1 && stats.archives.count == 0)
        _ = try disk.directory("snapshot-00000000000000000999.json", create: true)
        rig.world.put("archive-00000000000000000001-00000000000000000002.ndjson", [1, 2])
        let more = try JournalStats(disk)
        #expect(more.snapshots.count == 1 && more.snapshot == stats.snapshot)
        #expect(more.archives.count == 1 && more.archives.bytes == 2)
    }
}
