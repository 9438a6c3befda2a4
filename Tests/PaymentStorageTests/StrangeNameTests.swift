import PaymentStorage
import PaymentTesting
import Testing

@Suite("A file whose name is nearly one of a journal")
struct StrangeNameTests {
    @Test(
        "is no part of the journal",
        arguments: [
            "aournal-00000000000000000009.ndjson", "journal-00000000000000000009.ndjsom",
            "journal-9.ndjson", "journal-000000000000000000009.ndjson",
            "journal-0000000000000000000x.ndjson", "journal-00009007199254740992.ndjson",
            "snapshot-00000000000000000009.ndjson", "snapshot-0000000000000000009.json",
        ])
    func isIgnored(name: String) throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...3)
        try journal.close()
        let world = rig.world.afterKill()
        world.put(name, Array("something else".utf8))
        let opened = try StorageRig(world: world).open()
        #expect(opened.records.numbers == [1, 2, 3])
        #expect(world.files[name] == Array("something else".utf8))
        #expect(opened.report.damagedSnapshots == [])
        try opened.journal.close()
        #expect(JournalVerifier.verify(MemoryDisk(world: world.afterKill())).exitCode == 0)
    }

    @Test("is removed where it was to become a segment and the disk was full")
    func failedPrefill() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        rig.world.inject(
            MemoryDiskFault(.write, isLasting: true, namePrefix: "spare", .fail(errno: 28)))
        for number in 1...40 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        #expect(rig.world.calls(.remove) > 0)
        #expect(rig.world.files["spare"] == nil)
    }
}
