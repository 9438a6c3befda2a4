import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A repair")
struct RepairTests {
    /// A journal of several segments, as a crash left it.
    private func store(_ last: UInt64 = 120) throws -> MemoryDiskWorld {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...last { try journal.commitNumbers(number...number) }
        return rig.world.afterKill()
    }

    private func segments(_ world: MemoryDiskWorld) -> [String] {
        world.files.keys.filter { $0.hasPrefix("journal-") }.sorted()
    }

    private func damage(_ world: MemoryDiskWorld, _ name: String, at offset: Int) throws {
        var bytes = try #require(world.files[name])
        bytes[offset] ^= 1
        world.put(name, bytes)
    }

    @Test("carries everything of a good store, under another name")
    func good() throws {
        let world = try store()
        let target = MemoryDiskWorld()
        let survey = try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: 0,
            environment: .foreseeable(seed: 3)
        ).survey
        #expect(survey.lost == 0 && survey.finding == nil)
        let opened = try StorageRig(world: target).open()
        #expect(opened.records.numbers == Array(1...120))
        #expect(try opened.journal.epoch != StorageRig(world: world).open().journal.epoch)
    }

    @Test("carries what is before and behind the damage, names what is lost, changes nothing")
    func damaged() throws {
        let world = try store()
        let names = segments(world)
        try #require(names.count > 2)
        let bytes = try #require(world.files[names[1]])
        // A letter of a record in the middle: of "incarnation", which no other part of a line has.
        let middle = try #require(bytes[(bytes.count / 2)...].firstIndex(of: UInt8(ascii: "i")))
        try damage(world, names[1], at: middle)
        let before = world.files
        let disk = MemoryDisk(world: world)
        let survey = try JournalRepair.survey(disk)
        #expect(survey.finding?.file == names[1])
        #expect(survey.lost == 1)
        let lost = try #require(survey.lostRanges.first?.lowerBound)

        let target = MemoryDiskWorld()
        #expect(throws: BackupFailure.self) {
            try JournalRepair.repair(disk, into: MemoryDisk(world: target), acceptedLoss: 0)
        }
        #expect(target.files.isEmpty)
        try JournalRepair.repair(
            disk, into: MemoryDisk(world: target), acceptedLoss: 1,
            environment: .foreseeable(seed: 4))
        #expect(world.files == before)
        let verified = JournalVerifier.verify(MemoryDisk(world: target), isDeep: true)
        #expect(verified.findings == [])
        let records = try StorageRig(world: target).open().records
        #expect(records.count == 119 && !records.contains { $0.sequence == lost })
    }

    @Test("carries what is behind a missing segment")
    func missing() throws {
        let world = try store()
        let names = segments(world)
        try MemoryDisk(world: world).remove(names[1])
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        #expect(survey.finding?.reason == .missingSegment)
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 6))
        let numbers = try StorageRig(world: target).open().records.numbers
        #expect(numbers.count + Int(survey.lost) == 120)
        #expect(numbers.first == 1 && numbers.last == 120)
    }

    @Test("goes on from a good snapshot although the log before it is damaged")
    func snapshot() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit(Samples.all)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        _ = try journal.log.snapshotWasWritten(receipt)
        for number in 1...80 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        let world = rig.world.afterKill()
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target), acceptedLoss: 0,
            environment: .foreseeable(seed: 5))
        let opened = try StorageRig(world: target).open()
        #expect(opened.items == Samples.items)
        #expect(opened.records.numbers == Array(1...80))
    }

    @Test("has nothing to begin from without the first segment and without a snapshot")
    func hopeless() throws {
        let world = try store()
        try MemoryDisk(world: world).remove(segments(world)[0])
        #expect(throws: BackupFailure.self) {
            try JournalRepair.survey(MemoryDisk(world: world))
        }
    }
}
