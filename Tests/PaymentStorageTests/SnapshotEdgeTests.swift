import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON
import Testing

@Suite("A snapshot at the edges of its life")
struct SnapshotEdgeTests {
    /// An item that a start would not understand.
    private struct Refused: Error {}

    private static func empty(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.endObject()
    }

    /// A journal with one snapshot and an event behind it.
    private func base() throws -> (rig: StorageRig, journal: LocalLog, name: String) {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        try snapshot(of: journal)
        try journal.commitNumbers(4...4)
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("snapshot-") })
        return (rig, journal, name)
    }

    private func snapshot(of journal: LocalLog) throws {
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { body in
            body(.counters(incarnation: 3))
        }
        try journal.log.snapshotWasWritten(receipt)?.perform()
    }

    @Test("is not written with an item that a start could not read, and the journal goes on")
    func unreadableItem() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        let item = SnapshotItem.transaction(
            Samples.transaction(1), key: nil, newestEvent: 1, user: nil)
        // The product that the transaction names by number is missing.
        #expect(throws: SnapshotFailure.self) {
            try LocalLog.writeSnapshot(ticket) { body in body(item) }
        }
        #expect(!rig.world.files.keys.contains { $0.hasPrefix("snapshot-") })
        _ = try LocalLog.writeSnapshot(ticket) { body in
            body(.product(Samples.coins))
            body(item)
        }
        try journal.commitNumbers(4...4)
        let again = try StorageRig(world: rig.world.afterKill()).open()
        #expect(again.items == [.product(Samples.coins), item])
        #expect(again.records.numbers == [4])
    }

    @Test(
        "tells its progress every ten thousand items that were written or read back",
        arguments: [(9, 0), (5_000, 1)])
    func progress(count: UInt64, calls: Int) throws {
        let journal = try StorageRig().open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        var told = 0
        _ = try LocalLog.writeSnapshot(ticket, progress: { told += 1 }) { body in
            for number in 1...count { body(.counters(incarnation: number)) }
        }
        #expect(told == calls)
    }

    @Test("is synced after every 256 KiB, so that no commit waits for more on the disk")
    func pieces() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        let before = rig.world.calls(.sync)
        let receipt = try LocalLog.writeSnapshot(ticket) { body in
            for number in 1...UInt64(40_000) { body(.counters(incarnation: number)) }
        }
        // A piece has a little more; the rest and the directory are synced as well.
        let pieces = receipt.bytes / (1 << 18)
        #expect(pieces > 4)
        #expect((pieces...pieces + 2).contains(rig.world.calls(.sync) - before))
    }

    @Test("gets its name when every item in it was read back and understood")
    func check() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        #expect(throws: SnapshotFailure.self) {
            try ticket.write(
                check: { _ in throw Refused() },
                items: { sink in sink.item("counters") { Self.empty(&$0) } })
        }
        #expect(!rig.world.files.keys.contains { $0.hasPrefix("snapshot-") })
    }

    @Test("is written where one that failed has left a part of itself")
    func leftover() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        let ticket = try #require(try journal.log.beginSnapshot())
        let sequence = String(ticket.sequence)
        let digits = String(repeating: "0", count: 20 - sequence.utf8.count) + sequence
        rig.world.put("snapshot-\(digits).json.tmp", Array("half of it".utf8))
        _ = try LocalLog.writeSnapshot(ticket) { body in body(.counters(incarnation: 3)) }
        #expect(rig.world.files["snapshot-\(digits).json"] != nil)
    }

    @Test("counts as damaged if anything follows its last line", arguments: ["x", "{}\n", "\n"])
    func longer(end: String) throws {
        let (rig, _, name) = try base()
        let world = rig.world.afterKill()
        world.put(name, try #require(world.files[name]) + Array(end.utf8))
        let opened = try StorageRig(world: world).open()
        #expect(opened.report.damagedSnapshots == [name])
        #expect(opened.records.numbers == [1, 2, 3, 4])
    }

    @Test("is due again when something was recorded since, however old it is")
    func due() throws {
        var policy = StorageRig.smallPolicy
        policy.retention.keepSeconds = 0
        let rig = StorageRig(policy: policy)
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        try snapshot(of: journal)
        #expect(!journal.log.isSnapshotDue)
        try journal.commitNumbers(4...4)
        #expect(journal.log.isSnapshotDue)
    }

    @Test(
        "of a new store has no leftovers beside it, and none begins where the format cannot be written"
    )
    func newStore() throws {
        let world = MemoryDiskWorld()
        world.put("journal-00000000000000000001.ndjson.tmp", Array("half of it".utf8))
        world.put("old.tmp", [])
        _ = try StorageRig(world: world).open()
        #expect(world.files["old.tmp"] == nil)
        let other = MemoryDiskWorld()
        other.inject(MemoryDiskFault(.write, namePrefix: "format", .fail(errno: 5)))
        #expect(throws: StorageError.self) { try StorageRig(world: other).open() }
    }
}
