import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A start")
struct RecoveryTests {
    @Test("needs to write nothing again after a clean stop")
    func cleanStop() throws {
        let rig = StorageRig()
        let first = try rig.open()
        #expect(first.report.isNew)
        try first.journal.commitNumbers(1...3)
        try first.journal.close()

        let second = try StorageRig(world: rig.world.afterPowerCut { true }).open()

        #expect(second.report.wasClean)
        #expect(second.report.linesRewritten == 0)
        #expect(second.records.numbers == [1, 2, 3])
    }

    @Test("makes durable what it shows: the last batch is written again after a kill")
    func rewrittenTail() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        // A device that lost the batch, while the page cache still has it.
        rig.world.inject(MemoryDiskFault(.syncData, isLasting: true, .fail(errno: 5)))
        _ = try? journal.commitNumbers(1...3)

        let second = StorageRig(world: rig.world.afterKill())
        let shown = try second.open()
        #expect(!shown.report.wasClean)
        #expect(shown.report.linesRewritten == 3)
        #expect(shown.records.numbers == [1, 2, 3])

        let third = try StorageRig(world: second.world.afterPowerCut { false }).open()
        #expect(third.records.numbers == [1, 2, 3])
    }

    @Test("does not take a clean stop's word for a journal that has grown since")
    func staleWord() throws {
        let rig = StorageRig()
        let first = try rig.open()
        try first.journal.commitNumbers(1...1)
        try first.journal.close()
        let word = try #require(rig.world.files["lock"])
        #expect(String(decoding: word, as: UTF8.self).contains("clean"))
        let second = StorageRig(world: rig.world.afterKill())
        try second.open().journal.commitNumbers(2...2)
        // The lock file's newer text is lost, and the old one is back.
        let third = second.world.afterPowerCut { false }
        third.put("lock", word)
        let opened = try StorageRig(world: third).open()
        #expect(!opened.report.wasClean)
        #expect(opened.records.numbers == [1, 2])
    }

    @Test("cuts a torn batch, keeps a copy of the cut bytes, and counts them")
    func tornTail() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("journal-") })
        let whole = try #require(rig.world.files[name])
        let end = try #require(whole.lastIndex(of: UInt8(ascii: "}")))
        var torn = whole
        torn[end] = UInt8(ascii: "\n")
        rig.world.put(name, torn)

        let second = StorageRig(world: rig.world.afterKill())
        let opened = try second.open()

        #expect(opened.records.numbers == [1])
        #expect(opened.report.bytesCut > 90)
        let copy = try #require(opened.report.quarantined)
        let cut = try #require(second.world.files["quarantine/\(copy)"])
        #expect(cut.count == opened.report.bytesCut)
        #expect(torn.firstRange(of: cut) != nil)
        // The same damage again is the same copy again.
        var again = rig.world.files
        again["quarantine/\(copy)"] = cut
        let third = StorageRig(world: try MemoryDiskWorld(files: again))
        #expect(try third.open().report.quarantined == copy)
        #expect(third.world.files.keys.filter { $0.hasPrefix("quarantine/") }.count == 1)
    }

    @Test("takes zeros for nothing and leaves none")
    func zeros() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...2)
        let name = try #require(rig.world.files.keys.first { $0.hasPrefix("journal-") })
        let lines = try #require(rig.world.files[name]).filter { $0 != UInt8(ascii: "\n") }
        #expect(!lines.contains(0))
        let bytes = try #require(rig.world.files[name])
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}"))) + 2
        #expect(bytes[end...].allSatisfy { $0 == 10 })
        rig.world.put(name, bytes + [UInt8](repeating: 0, count: 5000))

        let second = StorageRig(world: rig.world.afterKill())
        #expect(try second.open().records.numbers == [1, 2])
        #expect(second.world.files[name]?.contains(0) == false)
    }

    @Test("tells how far it has come")
    func progress() throws {
        let rig = StorageRig(policy: JournalPolicy(firstPrefilledBytes: 4 << 20, reserveBytes: 0))
        let journal = try rig.open().journal
        for round in 0..<20 as Range<UInt64> {
            try journal.commitNumbers(round * 1000 + 1...round * 1000 + 1000)
        }
        var heard: [RecoveryProgress] = []
        let next = StorageRig(world: rig.world.afterKill(), policy: rig.policy)
        _ = try LocalLog.open(
            in: next.stateDirectory(), settings: next.settings, SeenReplay(),
            progress: { heard.append($0) })
        #expect((2...8).contains(heard.count))
        #expect(heard.allSatisfy { $0.bytesTotal >= $0.bytesDone && $0.bytesTotal > 1 << 20 })
        #expect(heard.map(\.bytesDone) == heard.map(\.bytesDone).sorted())
    }

    @Test("clears up what was never finished")
    func leftovers() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...1)
        rig.world.put("snapshot-00000000000000000009.json.tmp", [1, 2])
        rig.world.put("spare", [10, 10])
        let second = StorageRig(world: rig.world.afterKill())
        _ = try second.open()
        #expect(second.world.files["spare"] == nil)
        #expect(!second.world.files.keys.contains { $0.hasSuffix(".tmp") })
    }

    @Test("passes over an unknown line only if the line allows it")
    func unknownTypes() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        _ = journal.log.append("hint", time: Samples.time, origin: nil, isOptional: true) {
            $0.raw("{}")
        }
        try journal.commitNumbers(1...1)
        #expect(try StorageRig(world: rig.world.afterKill()).open().records.numbers == [1])
        #expect(try journal.records(after: 0, count: 10).numbers == [1])

        _ = journal.log.append("future", time: Samples.time, origin: nil) { $0.raw("{}") }
        try journal.commit()
        let refusal = try #require(try StorageRig(world: rig.world.afterKill()).refusal())
        #expect(refusal.reason == .unknownType)
        #expect(refusal.firstInDoubt == 4)
    }

    @Test("refuses an event that the queue cannot take")
    func inconsistentRecord() throws {
        struct Impossible: Error {}
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...1)
        let next = StorageRig(world: rig.world.afterKill())
        let before = next.world.files
        let error = try #require(throws: StorageError.self) {
            _ = try LocalLog.open(
                in: next.stateDirectory(), settings: next.settings,
                SeenReplay { _ in throw Impossible() })
        }
        #expect(error.exitCode == 65)
        #expect(next.world.files == before)
    }

    @Test("takes a segment that an earlier version shortened, but no other shortened one")
    func shortened() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...20 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.markIdle()
        let world = rig.world.afterKill()
        let name = try #require(world.files.keys.filter { $0.hasPrefix("journal-") }.max())
        let bytes = try #require(world.files[name])
        let end = try #require(bytes.lastIndex { $0 != 10 })
        world.put(name, Array(bytes[...end]) + [10])
        #expect(try StorageRig(world: world).refusal()?.reason == .missingEnd)
        // An earlier version writes the text alone, and leaves the marks of the last owner.
        let lock = try #require(world.files["lock"])
        let text = String(decoding: lock.prefix(1024), as: UTF8.self)
        let other = text.replacing(#""started":"2026"#, with: #""started":"2027"#)
        #expect(other != text)
        world.put("lock", Array(other.utf8) + lock.dropFirst(1024))
        #expect(try StorageRig(world: world).open().records.numbers == Array(1...20))
    }

    @Test("ignores a file with the name of a segment 0")
    func segmentZero() throws {
        let rig = StorageRig()
        try rig.open().journal.commitNumbers(1...3)
        let world = rig.world.afterKill()
        world.put("journal-00000000000000000000.ndjson", [])
        #expect(try StorageRig(world: world).open().records.numbers == [1, 2, 3])
    }

    @Test("makes no new store where the lock file records a clean stop")
    func stoppedStoreGone() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        let world = MemoryDiskWorld()
        world.put("lock", try #require(base.files["lock"]))
        #expect(try StorageRig(world: world).refusal()?.reason == .badFormatFile)
    }

    @Test("makes no new store where files of closed things are left")
    func closedThingsLeft() throws {
        let world = MemoryDiskWorld()
        let name = "archive-00000000000000000001-00000000000000000009.ndjson"
        world.put(name, Array("{}\n".utf8))
        #expect(try StorageRig(world: world).refusal()?.reason == .badFormatFile)
        #expect(world.files.keys.contains(name))
    }

    @Test("gives up the reserve to write the format file of an earlier version again")
    func reserveForFormat() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        let world = MemoryDiskWorld()
        for (name, bytes) in base.files { world.put(name, bytes) }
        world.put("reserve", [UInt8](repeating: 10, count: 8192))
        world.setFreeBytes(10)
        #expect(throws: Never.self) { try StorageRig(world: world).open() }
        #expect(world.files["reserve"] == nil)
    }

    @Test(
        "continues without a new format file where the disk is full, unless the version is an old one",
        arguments: ["v2-unmarked", "v1"])
    func fullDisk(version: String) throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == version })
        let world = MemoryDiskWorld()
        for (name, bytes) in base.files { world.put(name, bytes) }
        // Room for the marks, which real disks have in the block of the file's text.
        world.setFreeBytes(2058 - (base.files["lock"]?.count ?? 0))
        guard version == "v2-unmarked" else {
            #expect(throws: StorageError.self) { try StorageRig(world: world).open() }
            return
        }
        let opened = try StorageRig(world: world).open()
        let expected = base.records.values.filter { $0.sequence > opened.loadedUpTo ?? 0 }
        #expect(opened.records == expected.sorted { $0.sequence < $1.sequence })
        #expect(world.files["format.json"] == base.files["format.json"])
        let next = world.afterKill()
        next.setFreeBytes(1 << 20)
        _ = try StorageRig(world: next).open()
        #expect(next.files["format.json"]?.starts(with: #"{"checksum""#.utf8) == true)
        #expect(JournalVerifier.verify(MemoryDisk(world: next)).findings == [])
    }

    @Test("writes the format file that a full disk prevented before the next snapshot")
    func formatBeforeSnapshot() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        let world = try MemoryDiskWorld(files: base.files)
        world.setFreeBytes(2058 - (base.files["lock"]?.count ?? 0))
        let journal = try StorageRig(world: world).open().journal
        #expect(world.files["format.json"] == base.files["format.json"])
        world.setFreeBytes(1 << 20)
        world.inject(MemoryDiskFault(.rename, namePrefix: "format", .fail(errno: 5)))
        #expect(try journal.log.beginSnapshot() == nil)
        #expect(world.files["format.json"] == base.files["format.json"])
        #expect(try journal.log.beginSnapshot() != nil)
        let format = world.afterPowerCut { false }.files["format.json"]
        #expect(format?.starts(with: #"{"checksum""#.utf8) == true)
    }
}
