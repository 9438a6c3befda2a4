import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A log at the edges of its life")
struct LogEdgeTests {
    @Test("syncs for a probe although nothing is new, and fails with it")
    func probe() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        let syncs = rig.world.calls(.syncData)
        try journal.log.sync()
        #expect(rig.world.calls(.syncData) == syncs + 1)
        rig.world.inject(MemoryDiskFault(.syncData, .fail(errno: 5)))
        #expect(throws: JournalFailure.self) { try journal.log.sync() }
        #expect(throws: JournalFailure.self) { try journal.commitNumbers(2...2) }
    }

    @Test("is closed once: a second time does nothing")
    func closedTwice() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        try journal.close()
        let calls = rig.world.callCount
        let looks = rig.world.calls(.examine)
        try journal.close()
        journal.log.checkSpace(monotonicMilliseconds: 1 << 40)
        #expect(rig.world.callCount == calls && rig.world.calls(.examine) == looks)
    }

    @Test("writes one mark when it is idle, and nothing more until something follows")
    func idleTwice() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        try journal.markIdle()
        let calls = rig.world.callCount
        try journal.markIdle()
        #expect(rig.world.callCount == calls)
        try journal.commitNumbers(2...2)
        try journal.markIdle()
        #expect(rig.world.callCount > calls)
    }

    @Test("keeps what is filled ahead when it is closed on a disk that is nearly full")
    func closedWithoutRoom() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        rig.world.setFreeBytes(0)
        journal.log.checkSpace(monotonicMilliseconds: 1000)
        try journal.close()
        let world = rig.world.afterKill()
        world.setFreeBytes(0)
        let opened = try StorageRig(world: world).open()
        #expect(opened.report.wasClean)
        try opened.journal.commitNumbers(3...4)
    }

    @Test("says so if the clean stop cannot be written")
    func failedStop() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        rig.world.inject(MemoryDiskFault(.sync, namePrefix: "lock", .fail(errno: 5)))
        #expect(throws: JournalFailure.self) { try journal.close() }
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == [1, 2])
    }

    @Test("ends if a segment cannot be sealed or the next one begun", arguments: [2, 3])
    func failedRotation(number: Int) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        // The first sync is that of the next file, without which nothing has changed.
        rig.world.inject(MemoryDiskFault(.sync, number: number, .fail(errno: 5)))
        #expect(throws: JournalFailure.self) { try journal.log.beginSnapshot() }
        #expect(throws: JournalFailure.self) { try journal.commitNumbers(3...3) }
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == [1, 2])
    }

    @Test("is filled ahead by a start after a clean stop, so that commits need no room")
    func filledAgain() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        try journal.close()
        let world = rig.world.afterKill()
        let opened = try StorageRig(world: world).open()
        #expect(opened.report.wasClean)
        world.setFreeBytes(0)
        try opened.journal.commitNumbers(3...4)
    }

    @Test("is written again by a start on a full disk")
    func withoutRoom() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...2)
        let world = rig.world.afterKill()
        world.setFreeBytes(0)
        let opened = try StorageRig(world: world).open()
        #expect(opened.report.linesRewritten > 0 && opened.records.numbers == [1, 2])
    }

    @Test(
        "is on stable storage when a start has written it again, filled ahead or not",
        arguments: [true, false])
    func writtenAgain(isFilled: Bool) throws {
        var policy = StorageRig.smallPolicy
        policy.prefillsSegments = isFilled
        let rig = StorageRig(policy: policy)
        try rig.open().journal.commitNumbers(1...2)
        let world = rig.world.afterKill()
        #expect(try StorageRig(world: world, policy: policy).open().report.linesRewritten > 0)
        let next = try StorageRig(world: world.afterPowerCut { false }, policy: policy).open()
        #expect(next.records.numbers == [1, 2])
    }

    @Test("keeps a torn end aside, wherever the power fails while it is cut off")
    func quarantine() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...3)
        let killed = rig.world.afterKill()
        let name = try #require(killed.files.keys.first { $0.hasPrefix("journal-") })
        var torn = try #require(killed.files[name])
        torn[try #require(torn.lastIndex(of: UInt8(ascii: "}")))] = 10
        killed.put(name, torn)
        let line = try #require(torn.split(separator: 10).last)
        var cuts = 0
        for call in 1..<80 {
            let world = killed.afterKill()
            world.cutPower(atCall: call)
            let isOpen = (try? StorageRig(world: world).open()) != nil
            for mask in 0..<UInt64(1) << min(world.unsyncedChanges, 6) {
                var survival = Survival.mask(mask)
                let files = world.afterPowerCut { survival.next() }.files
                let isKept = files.contains {
                    $0.key.hasPrefix("quarantine/") && $0.value.starts(with: line)
                }
                #expect(files[name] == torn || isKept, "call \(call), mask \(mask)")
                cuts += 1
            }
            if isOpen { break }
        }
        #expect(cuts > 40)
    }

    @Test("commits what was appended before a snapshot and before a backup")
    func openBatch() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        _ = journal.append(.started(incarnation: 1), time: Samples.time, origin: nil)
        #expect(try journal.log.beginSnapshot() != nil)
        _ = journal.append(.started(incarnation: 2), time: Samples.time, origin: nil)
        let ticket = try journal.log.beginBackup()
        journal.log.endBackup()
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == [1, 2])
        #expect(ticket.sequence == next.journal.head)
    }
}
