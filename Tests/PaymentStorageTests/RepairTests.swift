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
            environment: .foreseeable(seed: 3))
        #expect(survey.lost == 0 && survey.damagedFile == nil)
        let opened = try StorageRig(world: target).open()
        #expect(opened.records.numbers == Array(1...120))
        #expect(try opened.journal.epoch != StorageRig(world: world).open().journal.epoch)
    }

    @Test("carries what is before the damage, counts and names what is behind, changes nothing")
    func damaged() throws {
        let world = try store()
        let names = segments(world)
        try #require(names.count > 2)
        let middle = try #require(world.files[names[1]]).count / 2
        try damage(world, names[1], at: middle)
        let before = world.files
        let disk = MemoryDisk(world: world)
        let survey = try JournalRepair.survey(disk)
        #expect(survey.damagedFile == names[1])
        #expect(survey.lost > 0)
        #expect(survey.lostRange?.lowerBound == survey.lastCarried + 1)

        let target = MemoryDiskWorld()
        #expect(throws: BackupFailure.self) {
            try JournalRepair.repair(
                disk, into: MemoryDisk(world: target), acceptedLoss: survey.lost - 1)
        }
        #expect(target.files.isEmpty)
        _ = try JournalRepair.repair(
            disk, into: MemoryDisk(world: target), acceptedLoss: survey.lost,
            environment: .foreseeable(seed: 4))
        #expect(world.files == before)
        #expect(JournalVerifier.verify(MemoryDisk(world: target)).findings == [])
        let numbers = try StorageRig(world: target).open().records.numbers
        #expect(numbers == Array(1...UInt64(numbers.count)))
        #expect(!numbers.isEmpty && numbers.count < 120)
    }

    @Test("takes a missing segment for the end of what can be carried")
    func missing() throws {
        let world = try store()
        let names = segments(world)
        try MemoryDisk(world: world).remove(names[1])
        let survey = try JournalRepair.survey(MemoryDisk(world: world))
        #expect(survey.damagedFile == names[2])
        #expect(survey.lost > 0)
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
        _ = try JournalRepair.repair(
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
