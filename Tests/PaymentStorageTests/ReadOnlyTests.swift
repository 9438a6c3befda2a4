import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A state directory that is only read")
struct ReadOnlyTests {
    private static func directory(
        _ world: MemoryDiskWorld, isReadOnly: Bool = true
    ) throws -> StateDirectory {
        try StateDirectory(
            disk: MemoryDisk(world: world), path: "/state", owner: 0,
            identity: ProcessIdentity(pid: 4711, program: "payqueued", bootID: "boot"),
            started: Samples.time, isReadOnly: isReadOnly)
    }

    private static func open(
        _ world: MemoryDiskWorld
    ) throws -> (journal: LocalLog, seen: SeenReplay) {
        let seen = SeenReplay(store: NoteReplay())
        let rig = StorageRig(policy: KeptShop.policy)
        let (journal, _) = try LocalLog.open(
            in: directory(world), settings: rig.settings, seen)
        return (journal, seen)
    }

    @Test(
        "gives everything that a start gives, and not a byte of it changes",
        arguments: MutationBase.all.indices)
    func wholeContent(index: Int) throws {
        let base = MutationBase.all[index]
        let world = try MemoryDiskWorld(files: base.files)
        let expected = try StateRig(world: MemoryDiskWorld(files: base.files)).open()
        let (journal, seen) = try Self.open(world)
        #expect(seen.items == expected.items && seen.records == expected.records)
        #expect(journal.isReadOnly && journal.head == expected.queue.head)
        let records = try journal.records(after: journal.oldest - 1, count: 1000)
        #expect(try records == expected.queue.records(after: journal.oldest - 1, count: 1000))
        #expect(journal.openedHistory.manifest == expected.queue.openedHistory.manifest)
        if let known = expected.history, !known.manifest.files.isEmpty {
            let key = ClosedKey.order(Samples.orderID(2))
            #expect(try journal.openedHistory.find(key) == known.find(key))
        }
        try journal.markIdle()
        let looks = world.calls(.examine)
        journal.log.checkSpace(monotonicMilliseconds: 1 << 40)
        #expect(world.calls(.examine) == looks)
        #expect(try journal.log.beginSnapshot() == nil && journal.log.trim() == nil)
        // Nothing is to be synced, and a disk that is only read need not be able to.
        world.inject(MemoryDiskFault(.syncData, isLasting: true, .fail(errno: 30)))
        #expect(journal.probe { _ in } == .committed)
        try journal.close()
        #expect(world.files == base.files)
    }

    @Test("is read without the journal of its store, be that sound or damaged")
    func separateStore() throws {
        let base = MutationBase.all[0]
        let expected = try Self.open(MemoryDiskWorld(files: base.files)).seen
        var files = base.files
        files["sandbox/journal-00000000000000000001.ndjson"]?[600] ^= 1
        try #require(files != base.files)
        for files in [base.files, files] {
            let world = try MemoryDiskWorld(files: files)
            let (notes, rig) = (NoteReplay(), StorageRig(policy: KeptShop.policy))
            let seen = SeenReplay(store: notes)
            _ = try LocalLog.open(in: Self.directory(world), settings: rig.settings, seen)
            #expect(seen.items == expected.items && seen.records == expected.records)
            #expect(notes.items == [] && notes.texts == [])
        }
    }

    @Test("belongs to one process all the same")
    func owner() throws {
        let world = try MemoryDiskWorld(files: MutationBase.all[0].files)
        let owner = try Self.directory(world, isReadOnly: false)
        #expect(throws: StorageError.self) { try Self.open(world) }
        owner.release()
        let reader = try Self.directory(world)
        #expect(throws: StorageError.self) { try Self.directory(world, isReadOnly: false) }
        reader.release()
    }

    @Test("without its lock file is refused, and gets none, as one that is written")
    func lockFile() throws {
        let base = MutationBase.all[0]
        let world = try MemoryDiskWorld(files: base.files.filter { $0.key != "lock" })
        let before = world.files
        try #require(before.count == base.files.count - 1)
        for isReadOnly in [false, true] {
            let error = try #require(throws: StorageError.self) {
                try Self.directory(world, isReadOnly: isReadOnly)
            }
            #expect(error.exitCode == 65)
        }
        #expect(world.files == before)
    }

    @Test("must have a store in it, and gets none")
    func empty() throws {
        let world = MemoryDiskWorld()
        let error = try #require(throws: StorageError.self) { try Self.open(world) }
        #expect(error.exitCode == 78)
        #expect(world.files.isEmpty)
    }
}
