import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("A damaged file of closed things")
struct ArchiveSalvageTests {
    private let world: MemoryDiskWorld
    private let file: ArchiveFile
    private let lines: [String]

    init() throws {
        world = try Self.shop()
        file = try Self.file(of: world)
        lines = Forged.texts(try #require(world.files[file.name]))
        try #require(lines.count >= 10)
    }

    /// A store with files of closed things, whose log begins after them.
    private static func shop(seed: UInt64 = 1) throws -> MemoryDiskWorld {
        var rig = StorageRig(policy: KeptShop.trimmingPolicy)
        rig.environment = .foreseeable(seed: seed)
        var shop = try KeptShop(rig)
        try shop.workLong()
        try shop.journal.close()
        return rig.world.afterKill()
    }

    private static func file(of world: MemoryDiskWorld) throws -> ArchiveFile {
        let rig = StorageRig(world: world.afterKill(), policy: KeptShop.policy)
        return try #require(try rig.open().journal.openedHistory.manifest.archives.first)
    }

    /// The range of records whose closing is in doubt if the lines between two others are lost.
    private func doubt(between first: Int, _ last: Int) -> ClosedRange<SequenceNumber> {
        Forged.sequence(of: lines[first])...Forged.sequence(of: lines[last])
    }

    private func survey() throws -> JournalRepair.Survey {
        try JournalRepair.survey(MemoryDisk(world: world))
    }

    /// The file of the new store that a repair makes.
    private func repairedFile() throws -> ArchiveFile {
        let target = MemoryDiskWorld()
        try JournalRepair.repair(
            MemoryDisk(world: world), into: MemoryDisk(world: target),
            acceptedLoss: survey().lost)
        return try Self.file(of: target)
    }

    @Test("loses the lines that are damaged, and names the records around each gap")
    func gaps() throws {
        let end = lines.count - 1
        for (damaged, ranges) in [
            ([4], [doubt(between: 3, 5)]), ([3, 5], [doubt(between: 2, 6)]),
            ([3, end - 2], [doubt(between: 2, 4), doubt(between: end - 3, end - 1)]),
        ] {
            world.put(file.name, Forged.bytes(lines))
            var left = lines.map { Array($0.utf8) }
            for line in damaged { left[line][left[line].count / 2] ^= 1 }
            world.put(file.name, left.flatMap { $0 + [10] })
            let lost = try survey().lostClosings
            #expect(lost.map(\.lines) == [UInt64(damaged.count)])
            #expect(lost.map(\.ranges) == [ranges])
        }
    }

    @Test("loses a line whose number cannot be at its place", arguments: [false, true])
    func misplaced(isLater: Bool) throws {
        let place = isLater ? lines.count - 2 : 4
        let number =
            isLater ? file.last + 1 : Forged.sequence(of: lines[place - 1]) - 1
        world.forge(file.name) { $0[place] = Forged.relabel($0[place], number) }
        let lost = try survey().lostClosings
        #expect(lost.map(\.lines) == [1])
        #expect(lost.first?.ranges == [doubt(between: place - 1, place + 1)])
    }

    @Test("loses a line in whose place there is a second header")
    func secondHeader() throws {
        world.forge(file.name) { $0[4] = Forged.relabel($0[0], Forged.sequence(of: $0[4])) }
        let lost = try survey().lostClosings
        #expect(lost.map(\.lines) == [1])
        #expect(lost.map(\.ranges) == [[doubt(between: 3, 5)]])
    }

    @Test("keeps its lines, and no more, where only the header or what is behind the seal is wrong")
    func nothingLost() throws {
        world.forge(file.name) { $0.append(Forged.relabel($0[$0.count - 2], file.last)) }
        #expect(try survey().lostClosings == [])
        #expect(try repairedFile().lines == file.lines)
        world.put(file.name, Forged.bytes(lines))
        world.damage(file.name, line: 0)
        #expect(try survey().lostClosings == [])
        #expect(try repairedFile().lines == file.lines)
    }

    @Test("is lost as a whole if it is of another store", arguments: [false, true])
    func foreign(isHeaderDamaged: Bool) throws {
        let other = try Self.shop(seed: 99)
        world.put(file.name, try #require(other.files[file.name]))
        if isHeaderDamaged { world.damage(file.name, line: 0) }
        let lost = try survey().lostClosings
        #expect(lost.map(\.lines) == [file.lines])
        #expect(lost.map(\.ranges) == [[file.first...file.last]])
    }

    @Test("does not hide the others from a deep verification if it cannot be read")
    func unreadable() throws {
        let files = JournalVerifier.verify(MemoryDisk(world: world), isDeep: true).files
        // A start reads the header, once.
        world.inject(
            MemoryDiskFault(
                .read, number: 2, isLasting: true, namePrefix: file.name, .fail(errno: 5)))
        let report = JournalVerifier.verify(MemoryDisk(world: world), isDeep: true)
        #expect(report.findings.map(\.file) == [file.name])
        #expect(report.exitCode == 2 && report.files == files - 1)
    }

    @Test("is not an index, which a deep verification names if it is damaged")
    func index() throws {
        let name = try #require(world.files.keys.sorted().first { $0.hasSuffix(".index") })
        var bytes = try #require(world.files[name])
        bytes[10] ^= 4
        world.put(name, bytes)
        let report = JournalVerifier.verify(MemoryDisk(world: world), isDeep: true)
        #expect(report.findings.map(\.file) == [name])
        #expect(report.findings.map(\.severity) == [.remark])
    }
}
