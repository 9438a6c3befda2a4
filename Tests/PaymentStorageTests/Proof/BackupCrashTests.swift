import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

@Suite("A backup, wherever the power fails")
struct BackupCrashTests {
    private static let policy = JournalPolicy(
        segmentBytes: 2048, firstPrefilledBytes: 0, reserveBytes: 0)
    private static let numbers = Array(1...24 as ClosedRange<UInt64>)

    /// A state directory with a store of two segments and a snapshot in one of its folders, or in itself, and
    /// with a key.
    private func store(in folder: String?) throws -> (rig: StorageRig, journal: LocalLog) {
        let rig = StorageRig(
            world: try MemoryDiskWorld(files: ["keys/k.pem": [1, 2, 3]]), policy: Self.policy)
        let state = try rig.stateDirectory()
        if let folder { _ = try state.disk.directory(folder, create: true) }
        let place = try folder.map { try state.subdirectory($0) } ?? state
        let (journal, _) = try LocalLog.open(in: place, settings: rig.settings, SeenReplay())
        try journal.commitNumbers(1...8)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        _ = try journal.log.snapshotWasWritten(receipt)
        for number in Self.numbers[8...] { try journal.commitNumbers(number...number) }
        return (rig, journal)
    }

    private func write(_ rig: StorageRig, _ folder: String?) throws -> BackupReport {
        let place = try folder.map { try rig.disk.directory($0, create: false) } ?? rig.disk
        return try BackupWriter.write(
            BackupTicket(reading: place, policy: Self.policy), in: folder, of: rig.disk,
            directories: ["keys"], at: Samples.time)
    }

    /// Gives `check` each disk that a loss of power can leave, with whether everything was done before. Equal
    /// disks are checked once during the work, and once after it.
    private func eachCrash(
        of rig: StorageRig, during work: () throws -> Void,
        check: (MemoryDiskWorld, Bool) throws -> Void
    ) throws {
        let base = rig.world.image
        rig.world.beginRecording()
        try work()
        let operations = rig.world.operations
        var known: Set<UInt64> = []
        var failure: (any Error)?
        CrashStates.eachImage(of: operations, on: base, seed: 1) { index, _, image in
            let isDone = index == operations.count
            guard isDone || known.insert(image.hash).inserted else { return true }
            do {
                try check(MemoryDiskWorld(image.disk), isDone)
            } catch { failure = error }
            return failure == nil
        }
        if let failure { throw failure }
        #expect(operations.count > 10)
    }

    /// The paths of the backups that have a format file; each of them must be whole, with its lock and its keys.
    private func backups(_ world: MemoryDiskWorld, _ folder: String?) throws -> [String] {
        let paths = try CrashStates.wholeBackups(on: MemoryDisk(world: world), of: folder)
        for path in paths {
            #expect(world.files["\(path)/\(folder.map { "\($0)/" } ?? "")lock"] != nil)
            #expect(world.files["\(path)/keys/k.pem"] == [1, 2, 3])
        }
        return paths
    }

    @Test(
        "is whole when it has its format file, and stays when it was reported",
        arguments: [nil, "sandbox"])
    func writing(folder: String?) throws {
        let (rig, _) = try store(in: folder)
        try eachCrash(of: rig) {
            _ = try write(rig, folder)
        } check: { world, isDone in
            let paths = try backups(world, folder)
            #expect(!isDone || paths.count == 1)
        }
    }

    @Test("that is removed has a format file only while it is whole, and stays away")
    func removing() throws {
        let (rig, _) = try store(in: nil)
        let report = try write(rig, nil)
        try eachCrash(of: rig) {
            #expect(
                BackupWriter.removeOldest(of: rig.disk, keeping: 0, and: "") == [report.path])
        } check: { world, isDone in
            let paths = try backups(world, nil)
            #expect(!isDone || paths.isEmpty)
            #expect(!isDone || !world.files.keys.contains { $0.hasPrefix("backups/") })
        }
    }

    /// The files of a backup, with a folder that the store below does not have, and with a cluster.
    private func source() throws -> MemoryDiskWorld {
        let (rig, journal) = try store(in: nil)
        let path = try Backups.take(journal).path + "/"
        var files = ["sessions/s.json": [4, 5] as [UInt8], "cluster/node.json": [6]]
        for (name, bytes) in rig.world.files where name.hasPrefix(path) {
            files[String(name.dropFirst(path.count))] = bytes
        }
        return try MemoryDiskWorld(files: files)
    }

    @Test("becomes a store whole or not at all, and keeps every file of the one before")
    func restoring() throws {
        let source = try source()
        let rig = StorageRig(
            world: try MemoryDiskWorld(files: ["keys/old.pem": [7, 8]]), policy: Self.policy)
        let old = try rig.open().journal
        for number in 1...30 as ClosedRange<UInt64> { try old.commitNumbers(number...number) }
        try old.close()
        let next = StorageRig(world: rig.world.afterKill(), policy: Self.policy)
        // A lock file is written at once by a process that takes the directory.
        let directory = try next.stateDirectory()
        let before = next.world.files
        try eachCrash(of: next) {
            _ = try BackupInstaller.install(
                MemoryDisk(world: source), into: directory, settingAside: true,
                environment: .foreseeable(seed: 7))
        } check: { world, isDone in
            let files = world.files
            for (path, bytes) in before {
                // A name in a folder is kept in a folder of its own.
                let parts = path.split(separator: "/")
                let place = parts.count == 1 ? "" : "-\(parts[0])"
                let kept = files.first { name, _ in
                    name.hasPrefix("quarantine/before-")
                        && name.hasSuffix("\(place)/\(parts[parts.count - 1])")
                }
                #expect(files[path] == bytes || kept?.value == bytes, "\(path)")
            }
            guard let opened = try? StorageRig(world: world, policy: Self.policy).open() else {
                #expect(!isDone)
                return
            }
            let isOld = opened.journal.epoch == old.epoch
            #expect(!isDone || !isOld)
            guard !isOld else {
                #expect(opened.records.numbers == Array(1...30))
                return
            }
            #expect(opened.items == Samples.items)
            #expect(opened.records.numbers == Array(Self.numbers[8...]))
            #expect(files["sessions/s.json"] == [4, 5])
            #expect(files["keys/old.pem"] == nil && files["cluster/node.json"] == nil)
        }
    }
}
