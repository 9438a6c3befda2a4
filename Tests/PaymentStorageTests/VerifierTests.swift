import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("The verifier and the dump")
struct VerifierTests {
    private func store() throws -> MemoryDiskWorld {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...120 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        return rig.world.afterKill()
    }

    @Test("find nothing in a good store, and change nothing")
    func good() throws {
        let world = try store()
        let before = world.files
        let report = JournalVerifier.verify(MemoryDisk(world: world))
        #expect(report.findings == [])
        #expect(report.exitCode == 0)
        #expect(report.events == 120)
        #expect(report.first == 1)
        #expect(report.jsonText.contains(#""ok":true"#))
        #expect(world.files == before)
    }

    @Test("find a missing file, and a scrub says so, too")
    func missingFile() throws {
        let world = try store()
        let disk = MemoryDisk(world: world)
        #expect(JournalScrub.gaps(in: disk).isEmpty)
        let segments = world.files.keys.filter { $0.hasPrefix("journal-") }.sorted()
        try #require(segments.count > 2)
        try disk.remove(segments[1])
        #expect(JournalScrub.run(disk).damage.isEmpty, "each file is whole")
        #expect(JournalScrub.gaps(in: disk).count == 1)
    }

    @Test("find a wrong digest that no checksum shows")
    func wrongDigest() throws {
        let world = try store()
        let names = world.files.keys.filter { $0.hasPrefix("journal-") }.sorted()
        let other = StorageRig()
        let journal = try other.open().journal
        try journal.commitNumbers(500...500)
        for number in 2...120 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        world.put(names[0], try #require(other.world.files[names[0]]))
        let report = JournalVerifier.verify(MemoryDisk(world: world))
        #expect(report.exitCode == 1)
    }

    @Test("hold a journal that was closed to its last line, as a start does")
    func missingEnd() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...20 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.close()
        let world = rig.world.afterKill()
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).findings == [])
        let name = try #require(world.files.keys.filter { $0.hasPrefix("journal-") }.max())
        let lines = try #require(world.files[name]).split(separator: 10)
        world.put(name, Array(lines.dropLast(3).joined(separator: [10])) + [10])
        let report = JournalVerifier.verify(MemoryDisk(world: world))
        #expect(report.exitCode == 1)
        #expect(report.findings.first?.detail.contains("missingEnd") == true)
        #expect(throws: (any Error).self) { try StorageRig(world: world).open() }
    }

    @Test("take a torn end for what it is")
    func torn() throws {
        let world = try store()
        let name = try #require(world.files.keys.filter { $0.hasPrefix("journal-") }.max())
        var bytes = try #require(world.files[name])
        bytes[try #require(bytes.lastIndex(of: UInt8(ascii: "}")))] = 10
        world.put(name, bytes)
        let report = JournalVerifier.verify(MemoryDisk(world: world))
        #expect(report.findings.map(\.severity) == [.torn])
        #expect(report.exitCode == 0)
    }

    @Test("judge again what a daemon changed meanwhile, each time with a new receiver")
    func changedMeanwhile() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...20 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.markIdle()
        var receivers: [StoppingVisitor] = []
        // The segment is listed with its full length, and the stop cuts what was filled in advance.
        let report = JournalVerifier.verify(MemoryDisk(world: rig.world)) {
            let stop = receivers.isEmpty ? { try journal.close() } : {}
            receivers.append(StoppingVisitor(stop))
            return receivers[receivers.count - 1]
        }
        #expect(report.findings == [])
        #expect(receivers.map(\.events) == [20, 20])
    }

    /// A receiver that does something when it gets the first event.
    private final class StoppingVisitor: RecoveryVisitor {
        private(set) var events = 0
        private let stop: () throws -> Void

        init(_ stop: @escaping () throws -> Void) { self.stop = stop }

        func snapshotLine(_ content: LineContent) -> Bool { true }
        func snapshotIsComplete(lastEvent: SequenceNumber) {}
        func progress(_ progress: RecoveryProgress) {}

        func event(_ line: JournalLine) throws -> Bool {
            if events == 0 { try stop() }
            events += 1
            return true
        }
    }

    @Test("say of a journal read deep too that its first replayed event is of another kind")
    func foreignRecords() throws {
        let base = MutationBase.all[0]
        let prefix = "sandbox/"
        let files = base.files.filter { $0.key.hasPrefix(prefix) }
        let world = MemoryDiskWorld()
        for (name, bytes) in files { world.put(String(name.dropFirst(prefix.count)), bytes) }
        for isDeep in [false, true] {
            let report = JournalVerifier.verify(MemoryDisk(world: world), isDeep: isDeep) {
                LocalLog.visitor(SeenReplay())
            }
            #expect(report.exitCode == 1 && report.hasForeignRecords)
        }
    }

    @Test("cannot say anything good about what cannot be read")
    func unreadable() throws {
        let world = try store()
        world.inject(
            MemoryDiskFault(.read, isLasting: true, namePrefix: "journal-", .fail(errno: 5)))
        #expect(JournalVerifier.verify(MemoryDisk(world: world)).exitCode == 2)
    }

    @Test("show the lines as they stand, up to the first that is damaged")
    func dump() throws {
        let world = try store()
        var sequences: [SequenceNumber] = []
        let stop = try JournalDump.lines(
            MemoryDisk(world: world), after: 10, includesInternal: false
        ) { line in
            sequences.append(line.sequence)
            #expect(line.content.text.hasPrefix(#"{"c":""#))
        }
        #expect(stop == nil)
        #expect(sequences.first == 11)
        #expect(sequences.count == 111)
        let name = try #require(world.files.keys.filter { $0.hasPrefix("journal-") }.min())
        var bytes = try #require(world.files[name])
        bytes[600] ^= 1
        world.put(name, bytes)
        let early = try JournalDump.lines(MemoryDisk(world: world)) { _ in }
        #expect(early?.file == name)
    }
}
