import Foundation
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
            in: directory, settings: rig.settings, SeenReplay())
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

    @Test("is examined without being made or changed")
    func examined() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "state-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func refusal(isReadOnly: Bool) -> Int32? {
            do throws(StorageError) {
                try StateDirectory.examine(path: path, isReadOnly: isReadOnly)
                return nil
            } catch {
                return error.exitCode
            }
        }
        #expect(refusal(isReadOnly: false) == nil)
        #expect(refusal(isReadOnly: true) == 78)
        #expect(!FileManager.default.fileExists(atPath: path))
        try #require(mkdir(path, 0o700) == 0)
        for isReadOnly in [false, true] { #expect(refusal(isReadOnly: isReadOnly) == nil) }
        try #require(chmod(path, 0o770) == 0)
        for isReadOnly in [false, true] { #expect(refusal(isReadOnly: isReadOnly) == 78) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    @Test("does not name an owner that another process is, according to the system")
    func otherOwner() throws {
        let rig = StorageRig()
        let opened = try rig.open()
        for (pid, program) in [(4711, "payqueued"), (1, nil)] as [(Int32, String?)] {
            rig.world.lockHolder = pid
            let error = #expect(throws: StorageError.self) { try rig.stateDirectory() }
            let expected = LockHolder(
                directory: "/state", pid: pid, program: program, socketPath: nil)
            #expect(error == .inUse(expected))
        }
        try opened.journal.close()
    }

    @Test("names its new owner on the disk, not the last one's clean stop")
    func newOwner() throws {
        let first = StorageRig()
        let journal = try first.open().journal
        try journal.commitNumbers(1...2)
        try journal.close()
        let rig = StorageRig(world: first.world.afterKill())
        let opened = try rig.open()
        let lock = try #require(rig.world.files["lock"])
        #expect(!String(decoding: lock, as: UTF8.self).contains("clean"))
        let durable = rig.world.afterPowerCut { false }.files["lock"]
        #expect(durable?.prefix(1024) == lock.prefix(1024))
        try opened.journal.close()
    }

    @Test("has its lock file on the disk before a format file that requires it")
    func lockFirst() throws {
        let base = try #require(MutationBase.all.first { $0.testDescription == "v2-unmarked" })
        let world = try MemoryDiskWorld(files: base.files.filter { $0.key != "lock" })
        world.beginRecording()
        _ = try StorageRig(world: world).open()
        func place(of name: String) -> Int? {
            world.operations.firstIndex { operation in
                guard case .change(DiskImage.top, let changes) = operation else { return false }
                return changes.contains { if case .set(name, _) = $0 { true } else { false } }
            }
        }
        let (lock, format) = (place(of: "lock"), place(of: "format.json"))
        let between = world.operations[try #require(lock)..<(try #require(format))]
        #expect(between.contains { if case .syncDirectory(0) = $0 { true } else { false } })
    }

    @Test("has the name of a subdirectory on the disk before anything in it")
    func durableSubdirectory() throws {
        let rig = StorageRig()
        let (store, _) = try RecordJournal<Note>.open(
            in: rig.stateDirectory().subdirectory("sandbox"), settings: rig.settings,
            load: { _, _ in }, replay: { _, _, _ in })
        _ = store.append(Note(text: "one"), time: Samples.time)
        try store.commit()
        let files = rig.world.afterPowerCut { false }.files
        #expect(files.keys.contains("sandbox/format.json"))
    }

    @Test("needs no store in a subdirectory")
    func emptySubdirectory() throws {
        let rig = StorageRig()
        let directory = try rig.stateDirectory()
        let inner = try directory.subdirectory("sandbox")
        let (queue, report) = try LocalLog.open(
            in: directory, settings: rig.settings, SeenReplay())
        #expect(report.isNew)
        try queue.close()
        inner.release()
    }

    @Test("gets no second mark of the same end")
    func onceMarked() throws {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commitNumbers(1...2)
        try journal.markIdle()
        let (writes, lock) = (rig.world.calls(.write), rig.world.files["lock"])
        try journal.markIdle()
        #expect(rig.world.calls(.write) == writes && rig.world.files["lock"] == lock)
        try journal.close()
    }
}

@Suite("The limit of open files")
struct FileLimitTests {
    @Test("lets this process start, and leaves room for connections")
    func enough() {
        #expect(throws: Never.self) { try FileLimit.check() }
        #expect(FileLimit.connections(upTo: 5) == 5)
        #expect(FileLimit.connections(upTo: .max) >= 8)
    }
}
