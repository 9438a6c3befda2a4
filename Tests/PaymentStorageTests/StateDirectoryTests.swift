import Glibc
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A state directory")
struct StateDirectoryTests {
    @Test("has one owner at a time, and names it")
    func oneOwner() throws {
        let rig = StorageRig()
        let opened = try rig.open()
        let error = try #require(throws: StorageError.self) { try rig.stateDirectory() }
        guard case .inUse(let holder) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.exitCode == 69)
        #expect(holder.pid == 4711)
        #expect(
            holder.description
                == "state directory '/state' is in use by payqueued (pid 4711)")
        try opened.journal.close()
    }

    @Test("is free again when its owner lets it go")
    func letGo() throws {
        let rig = StorageRig()
        do {
            let opened = try rig.open()
            try opened.journal.close()
        }
        #expect(throws: Never.self) { try rig.open() }
    }

    @Test("has an owner that is known to be ending from the signal on until it is gone")
    func dying() throws {
        var child = pid_t()
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
        defer { words.forEach { free($0) } }
        try #require(posix_spawnp(&child, "sleep", nil, nil, words, nil) == 0)
        #expect(!ProcessIdentity.isEnding(child))
        kill(child, SIGKILL)
        // From the signal on, and until somebody asks what became of it.
        #expect(ProcessIdentity.isEnding(child))
        usleep(50_000)
        #expect(ProcessIdentity.isEnding(child))
        waitpid(child, nil, 0)
        #expect(!ProcessIdentity.isEnding(child))
    }

    @Test(
        "that others may change or own is not used",
        arguments: [
            (1000, 0o700, DiskSpace.Kind.durable), (0, 0o720, .durable), (0, 0o702, .durable),
            (0, 0o700, .network),
        ] as [(UInt32, UInt32, DiskSpace.Kind)])
    func unsuitable(owner: UInt32, permissions: UInt32, kind: DiskSpace.Kind) throws {
        let world = MemoryDiskWorld(kind: kind)
        world.setOwner(owner, permissions: permissions)
        let error = try #require(throws: StorageError.self) {
            try StorageRig(world: world).stateDirectory()
        }
        #expect(error.exitCode == 78)
        #expect(world.files.isEmpty)
    }

    @Test("that others may only read is used", arguments: [0o700, 0o755] as [UInt32])
    func readable(permissions: UInt32) throws {
        let world = MemoryDiskWorld()
        world.setOwner(0, permissions: permissions)
        #expect(throws: Never.self) { try StorageRig(world: world).stateDirectory() }
    }

    @Test("says when it will not outlive the machine")
    func volatile() throws {
        #expect(try StorageRig(world: MemoryDiskWorld(kind: .volatile)).stateDirectory().isVolatile)
        #expect(try !StorageRig().stateDirectory().isVolatile)
    }

    @Test("has room for journals of others, with their own sequence")
    func subdirectory() throws {
        let rig = StorageRig()
        let directory = try rig.stateDirectory()
        let (queue, _) = try LocalLog.open(
            in: directory, settings: rig.settings, load: { _ in }, replay: { _ in })
        let (store, report) = try RecordJournal<Note>.open(
            in: directory.subdirectory("sandbox"), settings: rig.settings,
            load: { _, _ in }, replay: { _, _, _ in })
        #expect(report.isNew)
        try queue.commitNumbers(1...4)
        #expect(store.append(Note(text: "a \"note\""), time: Samples.time) == 2)
        try store.commit()
        try store.close()
        #expect(rig.world.files.keys.contains("sandbox/format.json"))

        let next = StorageRig(world: rig.world.afterKill())
        var notes: [Note] = []
        let (_, second) = try RecordJournal<Note>.open(
            in: next.stateDirectory().subdirectory("sandbox"), settings: next.settings,
            load: { _, _ in }, replay: { note, _, _ in notes.append(note) })
        #expect(second.wasClean)
        #expect(notes == [Note(text: "a \"note\"")])
    }
}
