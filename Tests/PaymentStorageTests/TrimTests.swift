import PaymentCore
import PaymentStorage
import PaymentTesting
import Synchronization
import Testing

@Suite("A trim")
struct TrimTests {
    private static let policy: JournalPolicy = {
        var policy = StorageRig.smallPolicy
        policy.retention = RetentionPolicy(keepBytes: 0, keepSeconds: 1 << 30)
        return policy
    }()

    /// A journal that has much to trim, and the plan to do it.
    private func overgrown(_ rounds: UInt64 = 6) throws -> (StorageRig, LocalLog, Trim) {
        var keeping = Self.policy
        keeping.retention.keepBytes = 1 << 30
        let first = StorageRig(policy: keeping)
        let journal = try first.open().journal
        for round in 1...rounds {
            try journal.commitNumbers(round * 10...round * 10 + 9)
            let ticket = try #require(try journal.log.beginSnapshot())
            let receipt = try LocalLog.writeSnapshot(ticket) {
                $0(.counters(incarnation: round * 10 + 9))
            }
            // The plans are not carried out: snapshots pile up as well.
            _ = try journal.log.snapshotWasWritten(receipt)
        }
        try journal.close()
        let rig = StorageRig(world: first.world.afterKill(), policy: Self.policy)
        let opened = try rig.open().journal
        return (rig, opened, try #require(try opened.log.trim()))
    }

    @Test("that power cuts short at any call leaves a directory that starts, with no gap in it")
    func powerCuts() throws {
        let (whole, _, trim) = try overgrown()
        let before = whole.world.callCount
        try trim.perform()
        let calls = whole.world.callCount - before
        #expect(trim.names.count > 6 && calls >= 2 * trim.names.count)

        for call in 1...calls {
            let (rig, _, trim) = try overgrown()
            rig.world.cutPower(atCall: rig.world.callCount + call)
            #expect(throws: DiskFailure.self) { try trim.perform() }
            var generator = SeededGenerator(seed: UInt64(call))
            for round in 0..<12 {
                let next = rig.world.afterPowerCut {
                    round == 0 || round > 1 && Bool.random(using: &generator)
                }
                let opened = try StorageRig(world: next, policy: Self.policy).open()
                #expect(opened.items == [.counters(incarnation: 69)], "call \(call)")
                let kept = try opened.journal.records(
                    after: opened.journal.oldest - 1, count: 1000)
                #expect(kept.numbers == Array((70 - UInt64(kept.count))...69), "call \(call)")
                // What the power left undone is done by the next trim.
                try opened.journal.log.trim()?.perform()
                #expect(JournalVerifier.verify(MemoryDisk(world: next)).findings == [])
            }
        }
    }

    @Test("moves the oldest position and takes nothing that the older snapshot needs")
    func oldest() throws {
        let (rig, journal, trim) = try overgrown()
        try trim.perform()
        let kept = try journal.records(after: journal.oldest - 1, count: 100)
        #expect(kept.numbers == Array(60...69))
        #expect(try journal.records(after: journal.oldest - 2, count: 100).isEmpty)
        #expect(try journal.log.trim() == nil)
        let newest = try #require(rig.world.files.keys.filter { $0.hasPrefix("snap") }.max())
        let world = rig.world.afterKill()
        world.put(newest, [])
        let opened = try StorageRig(world: world, policy: Self.policy).open()
        #expect(opened.items == [.counters(incarnation: 59)])
        #expect(opened.records.numbers == Array(60...69))
    }

    @Test("takes nothing while a backup is being copied")
    func pinned() throws {
        let (rig, other, _) = try overgrown()
        _ = try other.log.beginBackup()
        #expect(try other.log.trim() == nil)
        other.log.endBackup()
        #expect(try other.log.trim() != nil)
        #expect(rig.world.files.count > 10)
    }

    @Test("takes nothing of a directory that is only read")
    func readOnly() throws {
        let (rig, _, _) = try overgrown()
        let world = rig.world.afterKill()
        let directory = try StateDirectory(
            disk: MemoryDisk(world: world), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.time, isReadOnly: true)
        let (journal, _) = try LocalLog.open(in: directory, settings: rig.settings, SeenReplay())
        #expect(try journal.log.trim() == nil)
        #expect(try journal.records(after: 0, count: 100).numbers == Array(10...69))
    }

    @Test("takes nothing of a log that has one segment alone")
    func oneSegment() throws {
        let (rig, _, trim) = try overgrown()
        try trim.perform()
        let world = rig.world.afterKill()
        for name in world.segments.dropLast() { world.drop(name) }
        try #require(world.snapshots.count == 2)
        let opened = try StorageRig(world: world, policy: Self.policy).open()
        #expect(try opened.journal.log.trim() == nil)
        #expect(opened.items == [.counters(incarnation: 69)])
    }

    @Test("comes with the age of the log alone, without a new snapshot")
    func byAge() throws {
        let clock = Mutex(Samples.time)
        var policy = Self.policy
        policy.retention = RetentionPolicy(keepBytes: 1 << 30, keepSeconds: 30 * 86_400)
        var environment = StorageEnvironment.foreseeable()
        environment.now = { clock.withLock { $0 } }
        var rig = StorageRig(policy: policy)
        rig.environment = environment
        let journal = try rig.open().journal
        for round in 1...3 as ClosedRange<UInt64> {
            try journal.commitNumbers(round...round)
            #expect(!journal.log.isSnapshotDue)
            clock.withLock { $0 = $0.advanced(bySeconds: 3 * 86_400) }
            #expect(journal.log.isSnapshotDue)
            let ticket = try #require(try journal.log.beginSnapshot())
            let receipt = try LocalLog.writeSnapshot(ticket) {
                $0(.counters(incarnation: round))
            }
            let names = try journal.log.snapshotWasWritten(receipt)?.names ?? []
            #expect(names.allSatisfy { $0.hasPrefix("snapshot-") })
            #expect(!journal.log.isSnapshotDue)
        }
        clock.withLock { $0 = $0.advanced(bySeconds: 28 * 86_400) }
        try #require(try journal.log.trim()).perform()
        #expect(try journal.records(after: journal.oldest - 1, count: 9).numbers == [3])
    }

    @Test("is prepared by a snapshot when the log has grown by a quarter of what is kept")
    func bySize() throws {
        var policy = JournalPolicy(reserveBytes: 0)
        policy.retention = RetentionPolicy(keepBytes: 1 << 20, keepSeconds: 1 << 30)
        let journal = try StorageRig(policy: policy).open().journal
        var number: UInt64 = 1
        while journal.log.bytesKept < 1 << 18 {
            #expect(!journal.log.isSnapshotDue)
            try journal.commitNumbers(number...number + 499)
            number += 500
        }
        #expect(journal.log.isSnapshotDue)

        // A snapshot of some size is not written anew for less than half of it.
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { body in
            for _ in 0..<60_000 { body(.counters(incarnation: 1)) }
        }
        _ = try journal.log.snapshotWasWritten(receipt)
        #expect(receipt.bytes > 2 << 20)
        let before = journal.log.bytesKept
        while journal.log.bytesKept - before < receipt.bytes / 2 {
            #expect(!journal.log.isSnapshotDue)
            try journal.commitNumbers(number...number + 999)
            number += 1000
        }
        #expect(journal.log.isSnapshotDue)
    }

    @Test("is prepared by a snapshot after so many lines")
    func byLines() throws {
        var policy = JournalPolicy(reserveBytes: 0)
        policy.snapshotEveryLines = 100
        let journal = try StorageRig(policy: policy).open().journal
        // The first line is the segment's own.
        try journal.commitNumbers(1...98)
        #expect(!journal.log.isSnapshotDue)
        try journal.commitNumbers(99...99)
        #expect(journal.log.isSnapshotDue)
    }

    @Test("is prepared by a snapshot on a nearly full disk, unless a backup reads the log")
    func onFullDisk() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        func measure(_ freeBytes: Int, at second: Int64) {
            rig.world.setFreeBytes(freeBytes)
            journal.log.checkSpace(monotonicMilliseconds: second * 1000)
        }
        try journal.commitNumbers(1...1)
        measure(6500, at: 1)
        #expect(journal.log.isPressed && !journal.log.isSnapshotDue)
        measure(1 << 20, at: 3)
        for number in 2...120 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        #expect(!journal.log.isSnapshotDue)
        measure(6500, at: 5)
        #expect(journal.log.isPressed && journal.log.isSnapshotDue)
        _ = try journal.log.beginBackup()
        #expect(journal.log.isPressed && !journal.log.isSnapshotDue)
        journal.log.endBackup()
        #expect(journal.log.isSnapshotDue)
    }
}
