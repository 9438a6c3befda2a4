import PaymentCore
import PaymentStorage
import PaymentTesting
import Synchronization
import Testing

@Suite("A repair of files of closed things")
struct ArchiveRepairTests {
    /// A store with files of closed things, whose log begins after some of them.
    private static func shop(trims: Bool) throws -> MemoryDiskWorld {
        let policy = trims ? KeptShop.trimmingPolicy : KeptShop.policy
        var shop = try KeptShop(StorageRig(policy: policy))
        try shop.workLong()
        try shop.journal.close()
        return shop.rig.world.afterKill()
    }

    private static func archives(_ world: MemoryDiskWorld) -> [String] {
        world.files.keys.filter { $0.hasPrefix("archive-") && $0.hasSuffix(".ndjson") }.sorted()
    }

    /// Repairs a store; gives what was lost and the files of closed things of the new store.
    private static func repair(
        _ world: MemoryDiskWorld
    ) throws -> (survey: JournalRepair.Survey, history: Archives) {
        let before = world.files
        let source = MemoryDisk(world: world)
        let target = MemoryDiskWorld()
        let survey = try JournalRepair.survey(source)
        try JournalRepair.repair(
            source, into: MemoryDisk(world: target), acceptedLoss: survey.lost)
        #expect(world.files == before)
        let report = JournalVerifier.verify(MemoryDisk(world: target), isDeep: true)
        #expect(report.findings == [])
        let journal = try StorageRig(world: target, policy: KeptShop.policy).open().journal
        return (survey, try journal.archiveBuilder.index(journal.openedHistory))
    }

    @Test("begins from what the log still has, and loses nothing")
    func older() throws {
        for name in try Self.archives(Self.shop(trims: false)) {
            let world = try Self.shop(trims: false)
            world.drop(name)
            let (survey, _) = try Self.repair(world)
            #expect(survey.finding?.reason == .missingHistory && survey.finding?.file == name)
            #expect(survey.lost == 0 && survey.lostClosings == [])
        }
    }

    /// What happens to a file, and how many lines are lost with it; nil for all.
    enum Damage: CaseIterable {
        case bit, header, seal, line, half, gone, other

        var lost: Int? {
            switch self {
            case .bit: 1
            // The line behind one that is gone continues another checksum.
            case .line: 2
            case .header, .seal: 0
            case .half, .gone, .other: nil
            }
        }
    }

    @Test(
        "copies every line that is left and counts those that are not", arguments: Damage.allCases)
    func lost(_ damage: Damage) throws {
        let world = try Self.shop(trims: true)
        let whole = try StorageRig(world: world.afterKill(), policy: KeptShop.policy).open().journal
        let history = whole.openedHistory
        let file = try #require(history.manifest.archives.first)
        let lines = try #require(world.files[file.name]).split(separator: 10).map {
            Array($0) + [10]
        }
        #expect(lines.count == Int(file.lines) + 2)
        var left = lines
        switch damage {
        case .bit: left[4][lines[4].count / 2] ^= 1
        case .header: left[0][20] ^= 1
        case .seal: left[lines.count - 1][40] ^= 1
        case .line: left.remove(at: 4)
        case .half: left.removeLast(lines.count / 2)
        case .gone, .other: left = []
        }
        world.put(file.name, left.flatMap { $0 })
        if damage == .gone { world.drop(file.name) }
        if damage == .other {
            var rig = StorageRig(policy: KeptShop.trimmingPolicy)
            rig.environment = .foreseeable(seed: 99)
            var other = try KeptShop(rig)
            try other.workLong()
            world.put(file.name, try #require(rig.world.files[file.name]))
            let refusal = try #require(
                try StorageRig(world: world.afterKill(), policy: KeptShop.policy).refusal())
            #expect(refusal.reason == .foreignFile)
        }
        let (survey, repaired) = try Self.repair(world)
        let named = Set(survey.lostClosings.flatMap(\.ranges).joined().map(\.self))
        if let lost = damage.lost { #expect(survey.lost == UInt64(lost)) }
        // Each product has one line again, before the first line that names it.
        #expect(repaired.manifest.archives.first?.lines == file.lines - survey.lost)
        #expect(survey.lost == 0 || survey.lostClosings.map(\.file) == [file.name])
        #expect(survey.lostRanges == [] && survey.isEndProven)
        var missing = 0
        for number in UInt64(1)...24 {
            let key = ClosedKey.transaction(KeptShop.id(number))
            let (before, after) = (try history.find(key), try repaired.find(key))
            guard before != after else { continue }
            missing += 1
            let closed = try #require(before)
            #expect(after == nil && named.contains(closed.sequence))
        }
        // A product has a line of its own, which is lost with all that name it.
        #expect(missing == Int(survey.lost) || missing + 1 == Int(survey.lost))
    }

    @Test("is not needed for an index: a scrub finds it, and it is built again")
    func index() throws {
        let world = try Self.shop(trims: true)
        let name = try #require(world.files.keys.sorted().first { $0.hasSuffix(".index") })
        for offset in stride(from: 0, to: try #require(world.files[name]).count, by: 97) {
            let damaged = world.afterKill()
            var bytes = try #require(damaged.files[name])
            bytes[offset] ^= 4
            damaged.put(name, bytes)
            let disk = MemoryDisk(world: damaged)
            let scrub = JournalScrub.run(disk)
            #expect(scrub.damage == [] && scrub.files > 3)
            let deep = JournalVerifier.verify(disk, isDeep: true)
            #expect(deep.exitCode == 0)
            #expect(deep.findings.map(\.file) == scrub.damagedIndexes)
            let rig = StorageRig(world: damaged, policy: KeptShop.policy)
            let directory = try rig.stateDirectory()
            try JournalScrub.rebuildIndexes(in: directory)
            directory.release()
            #expect(JournalScrub.run(disk).damagedIndexes == [], "\(offset)")
            #expect(try !rig.open().journal.openedHistory.needsIndex)
        }
    }

    @Test("A scrub reads every file, also while lines are added, and finds no damage in a good one")
    func scrub() throws {
        var shop = try KeptShop(StorageRig(policy: KeptShop.policy))
        try shop.workLong()
        let read = Names()
        let disk = ObservedDisk(MemoryDisk(world: shop.rig.world)) { path, _, _ in read.add(path) }
        _ = shop.journal.append(.started(incarnation: 2), time: Samples.time, origin: nil)
        #expect(JournalScrub.run(disk).damage == [])
        let files = shop.rig.world.files.keys.filter { $0 != "reserve" }
        #expect(read.names == Set(files.map { "/\($0)" }))
        // A start judges the lock file itself.
        for name in files where name != "spare" && name != "lock" {
            let world = shop.rig.world.afterKill()
            var bytes = try #require(world.files[name])
            let used = try #require(bytes.lastIndex { $0 != 10 })
            bytes[used / 2] ^= 1
            world.put(name, bytes)
            let report = JournalScrub.run(MemoryDisk(world: world))
            let isIndex = name.hasSuffix(".index")
            // What is behind the last line of an index's block is read, and of no use.
            #expect(report.damage.isEmpty == isIndex, "\(name)")
            #expect(isIndex || report.damage.contains { $0.file == name }, "\(name)")
        }
    }
}

/// The names that a test has seen.
private final class Names: Sendable {
    private let seen = Mutex<Set<String>>([])
    var names: Set<String> { seen.withLock { $0 } }

    func add(_ name: String) {
        seen.withLock { _ = $0.insert(name) }
    }
}
