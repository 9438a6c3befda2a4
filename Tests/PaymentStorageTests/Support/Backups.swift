import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// Backups, and the journals and directories that their tests share.
enum Backups {
    /// A journal with a snapshot, several segments and a batch in the last.
    static func journal() throws -> (rig: StorageRig, journal: LocalLog) {
        let rig = StorageRig()
        let journal = try rig.open().journal
        try journal.commit(Samples.all)
        let ticket = try #require(try journal.log.beginSnapshot())
        let receipt = try LocalLog.writeSnapshot(ticket) { Samples.items.forEach($0) }
        _ = try journal.log.snapshotWasWritten(receipt)
        for number in 1...80 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        return (rig, journal)
    }

    static func directory(_ rig: StorageRig, _ report: BackupReport) throws -> any Disk {
        var disk: any Disk = MemoryDisk(world: rig.world)
        for name in report.path.split(separator: "/") {
            disk = try disk.directory(String(name), create: false)
        }
        return disk
    }

    static func take(_ journal: LocalLog) throws -> BackupReport {
        defer { journal.log.endBackup() }
        return try BackupWriter.write(try journal.log.beginBackup(), at: Samples.time)
    }

    /// Copies a directory of one world into a world of its own.
    static func world(of disk: any Disk) throws -> MemoryDiskWorld {
        let world = MemoryDiskWorld()
        for name in try disk.list() where try disk.status(of: name)?.kind == .regular {
            let file = try disk.open(name, .read)
            var bytes = [UInt8](repeating: 0, count: try file.length())
            #expect(try file.read(into: &bytes, at: 0) == bytes.count)
            world.put(name, bytes)
        }
        return world
    }
}
