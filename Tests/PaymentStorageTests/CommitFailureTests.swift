import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A commit that the disk does not take")
struct CommitFailureTests {
    private static let eio: Int32 = 5
    private static let eintr: Int32 = 4
    private static let enospc: Int32 = 28

    @Test("fails the journal for good, and no second sync is ever tried", arguments: [eio, eintr])
    func failedSync(errno: Int32) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        rig.world.inject(MemoryDiskFault(.syncData, .fail(errno: errno)))

        let failure = try #require(throws: JournalFailure.self) { try journal.commitNumbers(2...2) }

        #expect(failure.errno == errno)
        #expect(failure.description.hasPrefix("cannot sync journal 'journal-"))
        let calls = rig.world.callCount
        _ = journal.append(.started(incarnation: 3), time: Samples.time, origin: nil)
        #expect(throws: failure) { try journal.commit() }
        #expect(throws: failure) { try journal.markIdle() }
        #expect(throws: failure) { try journal.close() }
        let looks = rig.world.calls(.examine)
        journal.log.checkSpace(monotonicMilliseconds: 1 << 40)
        #expect(rig.world.callCount == calls && rig.world.calls(.examine) == looks)
    }

    @Test("leaves what was acknowledged before, whatever the page cache shows")
    func failedSyncThenPowerCut() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        rig.world.inject(MemoryDiskFault(.syncData, .fail(errno: Self.eio)))
        _ = try? journal.commitNumbers(4...6)

        let next = try StorageRig(world: rig.world.afterPowerCut { true }).open()

        #expect(next.records.numbers == [1, 2, 3])
    }

    @Test("is written on after short writes")
    func shortWrites() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        rig.world.inject(MemoryDiskFault(.write, isLasting: true, .short(bytes: 7)))
        try journal.commitNumbers(1...2)
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == [1, 2])
    }

    @Test("fails the journal when a write fails")
    func failedWrite() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        rig.world.inject(MemoryDiskFault(.write, .fail(errno: Self.eio)))
        #expect(throws: JournalFailure.self) { try journal.commitNumbers(1...1) }
        let syncs = rig.world.calls(.syncData)
        #expect(throws: JournalFailure.self) { try journal.commit() }
        #expect(rig.world.calls(.syncData) == syncs)
    }

    @Test("costs the reserve when the disk is full, and the reserve comes back")
    func reserve() throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = false
        policy.reserveBytes = 4096
        policy.marginBytes = 8000
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        #expect(rig.world.files["reserve"]?.count == 4096)
        #expect(!journal.room.isShort)
        rig.world.setFreeBytes(10)

        try journal.commitNumbers(1...2)

        #expect(journal.room.shortage == .bytes)
        #expect(rig.world.files["reserve"] == nil)
        #expect(!journal.hasRoom(for: 1, beside: SpaceClaims()))
        journal.log.checkSpace(monotonicMilliseconds: 0)
        #expect(journal.room.isShort)
        rig.world.setFreeBytes(1 << 20)
        journal.log.checkSpace(monotonicMilliseconds: 999)
        #expect(journal.room.isShort)
        journal.log.checkSpace(monotonicMilliseconds: 1000)
        #expect(!journal.room.isShort)
        #expect(journal.hasRoom(for: 1, beside: SpaceClaims()))
        #expect(rig.world.files["reserve"]?.count == 4096)
        let next = try StorageRig(world: rig.world.afterPowerCut { false }, policy: policy).open()
        #expect(next.records.numbers == [1, 2])
    }

    @Test("uses up the reserve, which is made again from the blank end of a segment")
    func reserveFromSegment() throws {
        var policy = StorageRig.smallPolicy
        policy.firstPrefilledBytes = 8192
        policy.reserveBytes = 4096
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        for number in 1...45 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        // The next segment is filled already.
        try #require(rig.world.files["spare"] != nil)
        rig.world.inject(
            MemoryDiskFault(.write, namePrefix: "journal-", .fail(errno: Self.enospc)))
        try journal.commitNumbers(46...46)
        try #require(rig.world.files["reserve"] == nil)
        rig.world.setFreeBytes(0)
        #expect(try journal.log.beginSnapshot() != nil)
        #expect(rig.world.files["reserve"] != nil)
    }

    @Test("says so when not even the reserve is enough")
    func fullDisk() throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = false
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        rig.world.setFreeBytes(10)
        let failure = try #require(throws: JournalFailure.self) { try journal.commitNumbers(1...2) }
        #expect(failure.isOutOfSpace)
        #expect(rig.world.calls(.syncData) == 0)
    }

    @Test("keeps the reserve when the file may not become longer, because no room helps")
    func fileTooLong() throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = false
        policy.reserveBytes = 4096
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        rig.world.setLongestFile(100)
        let failure = try #require(throws: JournalFailure.self) { try journal.commitNumbers(3...3) }
        #expect(failure.isOutOfSpace && failure.description.hasPrefix("cannot write journal"))
        #expect(rig.world.files["reserve"]?.count == 4096)
        let world = rig.world.afterKill()
        world.setLongestFile(.max)
        #expect(try StorageRig(world: world, policy: policy).open().records.numbers == [1, 2])
    }

    @Test("ends a segment before it meets a limit of file sizes", arguments: [true, false])
    func limitedSegments(isFilled: Bool) throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = isFilled
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        rig.world.setLongestFile(8000)
        for number in 1...40 as ClosedRange<UInt64> {
            // A batch is nearly a quarter of the limit.
            try journal.commitNumbers(number * 8 - 7...number * 8)
        }
        let lengths = rig.world.files.filter { $0.key.hasPrefix("journal-") }.map(\.value.count)
        #expect(lengths.count > 5 && lengths.allSatisfy { $0 <= 8000 }, "\(lengths)")
        #expect(lengths.filter { $0 > 6000 }.count >= lengths.count - 2, "\(lengths)")
        let next = try StorageRig(world: rig.world.afterPowerCut { false }, policy: policy).open()
        #expect(next.records.numbers == Array(1...320))
    }

    @Test("needs no room in a segment that was filled ahead")
    func preparedSegment() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        rig.world.setFreeBytes(0)
        try journal.commitNumbers(1...5)
        rig.world.setFreeBytes(1 << 20)
        #expect(try StorageRig(world: rig.world.afterKill()).open().records.numbers.count == 5)
    }

    @Test("does not wait for the next segment: lines extend the old one meanwhile")
    func lateSpare() throws {
        let held = HeldWork()
        var environment = StorageEnvironment.foreseeable()
        environment.background = { held.hold($0) }
        var policy = StorageRig.smallPolicy
        policy.reserveBytes = 4096
        let rig = StorageRig(policy: policy)
        let (journal, _) = try LocalLog.open(
            in: rig.stateDirectory(),
            settings: LogSettings(policy: rig.policy, environment: environment, build: "test"),
            SeenReplay())
        for number in 1...60 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        #expect(rig.world.files.keys.filter { $0.hasPrefix("journal-") }.count == 1)
        // The reserve becomes a segment only where there is no other room.
        #expect(rig.world.files["reserve"]?.count == 4096)
        held.run()
        try journal.commitNumbers(61...61)
        #expect(rig.world.files.keys.filter { $0.hasPrefix("journal-") }.count == 2)
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == Array(1...61))
    }
}
