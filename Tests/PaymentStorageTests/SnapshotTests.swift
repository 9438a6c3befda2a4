import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A snapshot", .ownThreads)
struct SnapshotTests {
    /// Takes a snapshot that stands for all events up to a number.
    @discardableResult
    private func take(_ journal: LocalLog, _ number: UInt64) throws -> SnapshotReceipt {
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { $0(.counters(incarnation: number)) }
        try journal.log.snapshotWasWritten(receipt)?.perform()
        return receipt
    }

    private func snapshots(_ world: MemoryDiskWorld) -> [String] {
        world.files.keys.filter { $0.hasPrefix("snapshot-") }.sorted()
    }

    /// A policy that keeps nothing of the log but what snapshots need.
    private var forgetful: JournalPolicy {
        var policy = StorageRig.smallPolicy
        policy.retention = RetentionPolicy(keepBytes: 0, keepSeconds: 1 << 30)
        return policy
    }

    @Test("gives every item back as it was")
    func roundTrip() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let head = journal.head
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        try journal.commitNumbers(4...5)

        let next = try StorageRig(world: rig.world.afterKill()).open()

        #expect(receipt.items == Samples.items.count)
        #expect(next.items == Samples.items)
        #expect(next.loadedUpTo == head)
        #expect(next.records.numbers == [4, 5])
        #expect(next.report.snapshot == receipt.name)
    }

    @Test("keeps the users that restores and names are charged to, if they are known")
    func users() throws {
        for user in [nil, 0, UInt32.max] {
            let restore = Restore(
                id: RestoreID(Samples.questionID(7).value), account: nil, appAccountToken: nil,
                createdAt: Samples.time)
            let items: [SnapshotItem] = [
                .restore(restore, keys: ["r"], user: user),
                .observer("books", upTo: 1, at: Samples.time, owner: user),
            ]
            let rig = StorageRig()
            let journal = try rig.open().journal
            try journal.commitNumbers(1...1)
            let ticket = try #require(try journal.log.beginSnapshot())
            _ = try LocalLog.writeSnapshot(ticket) { items.forEach($0) }
            #expect(try StorageRig(world: rig.world.afterKill()).open().items == items)
        }
    }

    @Test("tells of a session that the store ended, whether somebody was asked or not")
    func endedSession() throws {
        let session = Session(account: "de\"mo", country: Samples.country("DE"))
        for question in [nil, Samples.questionID(1)] {
            let item = SnapshotItem.endedSession(
                EndedSession(session: session, endedAt: Samples.time, question: question))
            let rig = StorageRig()
            let journal = try rig.open().journal
            try journal.commitNumbers(1...1)
            let ticket = try #require(try journal.log.beginSnapshot())
            _ = try LocalLog.writeSnapshot(ticket) { $0(item) }
            #expect(try StorageRig(world: rig.world.afterKill()).open().items == [item])
        }
    }

    @Test("tells when and why an order was taken back, and of older ones only that it was")
    func revokedOrders() throws {
        let revocation = OrderRevocation(at: Samples.time, reason: "re\"placed")
        let items: [SnapshotItem] = [
            .revokedOrder(Samples.orderID(1), revocation), .revokedOrder(Samples.orderID(2), nil),
        ]
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        let ticket = try #require(try journal.log.beginSnapshot())
        _ = try LocalLog.writeSnapshot(ticket) { items.forEach($0) }
        #expect(try StorageRig(world: rig.world.afterKill()).open().items == items)
    }

    @Test("is written from a copy while the journal goes on")
    func beside() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        try journal.commitNumbers(4...60)
        let receipt = try LocalLog.writeSnapshot(ticket) { $0(.counters(incarnation: 3)) }
        try journal.commitNumbers(61...62)
        #expect(try journal.log.snapshotWasWritten(receipt) == nil)
        let next = try StorageRig(world: rig.world.afterPowerCut { false }).open()
        #expect(next.records.numbers == Array(4...62))
    }

    @Test("is written in pieces of many lines, and not in one")
    func pieces() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...1)
        let ticket = try #require(try journal.log.beginSnapshot())
        let before = rig.world.calls(.write)
        let note = Note(text: String(repeating: "a", count: 1000))
        let receipt = try ticket.write(check: { _ in }) { sink in
            for _ in 0..<600 { sink.item("note") { note.encodePayload(into: &$0) } }
        }
        let writes = rig.world.calls(.write) - before
        #expect(receipt.bytes > 1 << 19)
        #expect(writes >= receipt.bytes >> 18 && writes <= receipt.bytes >> 17 + 2)
    }

    @Test("has two generations, and the log that the older one needs")
    func generations() throws {
        let rig = StorageRig(policy: forgetful)
        let journal = try rig.open().journal
        for round in 1...5 as ClosedRange<UInt64> {
            try journal.commitNumbers(round * 10...round * 10 + 9)
            try take(journal, round * 10 + 9)
        }
        #expect(snapshots(rig.world).count == 2)
        #expect(journal.oldest > 1)
        #expect(try journal.records(after: 0, count: 10).isEmpty)
        #expect(try !journal.records(after: journal.oldest - 1, count: 10).isEmpty)

        // The newest is damaged: the older one and its log bring the same state.
        let world = rig.world.afterKill()
        let newest = try #require(snapshots(world).last)
        var bytes = try #require(world.files[newest])
        bytes[bytes.count / 2] ^= 1
        world.put(newest, bytes)
        let next = try StorageRig(world: world, policy: forgetful).open()
        #expect(next.report.damagedSnapshots == [newest])
        #expect(next.items == [.counters(incarnation: 49)])
        #expect(next.records.numbers == Array(50...59))
    }

    @Test("that is damaged never counts as a generation")
    func damagedGeneration() throws {
        let rig = StorageRig(policy: forgetful)
        let journal = try rig.open().journal
        try journal.commitNumbers(1...5)
        try take(journal, 5)
        try journal.commitNumbers(6...9)
        let damaged = try take(journal, 9).name
        let world = rig.world.afterKill()
        world.put(damaged, Array("{}\n".utf8))

        let second = StorageRig(world: world, policy: forgetful)
        let opened = try second.open()
        try opened.journal.commitNumbers(10...12)
        let good = try take(opened.journal, 12).name
        #expect(snapshots(world).contains("snapshot-00000000000000000007.json"))

        let third = world.afterKill()
        third.put(good, [])
        #expect(
            try StorageRig(world: third, policy: forgetful).open().items
                == [.counters(incarnation: 5)])
    }

    @Test("may be damaged as long as the log reaches back to the beginning")
    func wholeLog() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...5)
        let receipt = try take(journal, 5)
        let world = rig.world.afterKill()
        world.put(receipt.name, [])
        #expect(try StorageRig(world: world).open().records.numbers == [1, 2, 3, 4, 5])
    }

    @Test("that cannot be read refuses the start when the log was trimmed")
    func noneLeft() throws {
        let rig = StorageRig(policy: forgetful)
        let journal = try rig.open().journal
        for round in 1...4 as ClosedRange<UInt64> {
            try journal.commitNumbers(round * 10...round * 10 + 9)
            try take(journal, round)
        }
        let world = rig.world.afterKill()
        for name in snapshots(world) { world.put(name, Array("{\"t\":1}\n".utf8)) }
        let before = world.files
        #expect(try StorageRig(world: world).refusal()?.reason == .noUsableSnapshot)
        #expect(world.files == before)
    }

    @Test("is found out in any of its bytes")
    func flips() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        let world = rig.world.afterKill()
        let bytes = try #require(world.files[receipt.name])
        for offset in bytes.indices {
            var changed = bytes
            changed[offset] ^= 1 << UInt8(offset % 8)
            let copy = world.afterKill()
            copy.put(receipt.name, changed)
            let opened = try StorageRig(world: copy).open()
            #expect(opened.report.damagedSnapshots == [receipt.name], "byte \(offset)")
            #expect(opened.records.numbers == [1, 2])
        }
    }

    @Test(
        "that fails leaves the journal as good as before",
        arguments: [
            MemoryDiskFault(.write, number: 1, namePrefix: "snapshot-", .fail(errno: 28)),
            MemoryDiskFault(.sync, namePrefix: "snapshot-", .fail(errno: 5)),
            MemoryDiskFault(.rename, namePrefix: "snapshot-", .fail(errno: 5)),
            MemoryDiskFault(.read, namePrefix: "snapshot-", .fail(errno: 5)),
            MemoryDiskFault(.write, number: 1, namePrefix: "snapshot-", .corrupt),
        ])
    func failure(fault: MemoryDiskFault) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        rig.world.inject(fault)
        #expect(throws: SnapshotFailure.self) {
            try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        }
        #expect(snapshots(rig.world) == [])
        try journal.commitNumbers(4...4)
        try take(journal, 4)
        #expect(try StorageRig(world: rig.world.afterKill()).open().items.count == 1)
    }

    @Test("is put off when there is no room for the next segment, and nothing has changed")
    func noRoom() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        rig.world.setFreeBytes(100)
        #expect(try journal.log.beginSnapshot() == nil)
        rig.world.setFreeBytes(1 << 20)
        try journal.commitNumbers(4...4)
        try take(journal, 4)
    }

    @Test("lets go of old segments by age, and of none that the policy keeps")
    func retention() throws {
        var policy = StorageRig.smallPolicy
        policy.retention = RetentionPolicy(keepBytes: 1 << 30, keepSeconds: 1 << 30)
        let keeping = StorageRig(policy: policy)
        let journal = try keeping.open().journal
        for round in 1...4 as ClosedRange<UInt64> {
            try journal.commitNumbers(round...round)
            try take(journal, round)
        }
        #expect(journal.oldest == 1)
        #expect(try journal.records(after: 0, count: 10).numbers == [1, 2, 3, 4])

        policy.retention.keepSeconds = 0
        let expiring = StorageRig(world: keeping.world.afterKill(), policy: policy)
        let next = try expiring.open().journal
        try next.commitNumbers(5...5)
        try take(next, 5)
        #expect(try next.records(after: next.oldest - 1, count: 10).numbers.last == 5)
        #expect(JournalVerifier.verify(MemoryDisk(world: expiring.world)).findings == [])
    }
}
