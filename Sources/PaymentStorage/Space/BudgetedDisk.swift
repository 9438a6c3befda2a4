/// A directory in which files grow only into room that nothing has claimed.
///
/// Snapshots, archive files, indexes and backups are written through it. A write that would take claimed
/// room fails as on a full disk, before it takes anything.
final class BudgetedDisk: Disk {
    let base: any Disk
    private let budget: Space
    private let use: SpaceLedger.Use

    /// Wraps a directory.
    init(_ base: any Disk, _ budget: Space, for use: SpaceLedger.Use) {
        self.base = base
        self.budget = budget
        self.use = use
    }

    func open(_ name: String, _ mode: OpenMode) throws(DiskFailure) -> any DiskFile {
        let file = try base.open(name, mode)
        return mode == .read ? file : BudgetedFile(file, name, budget, use)
    }

    func directory(_ name: String, create: Bool) throws(DiskFailure) -> any Disk {
        BudgetedDisk(try base.directory(name, create: create), budget, for: use)
    }

    func link(_ name: String, into directory: any Disk, as newName: String) throws(DiskFailure) {
        let target = (directory as? BudgetedDisk)?.base ?? directory
        try base.link(name, into: target, as: newName)
    }

    /// The free room without what is claimed.
    func space() throws(DiskFailure) -> DiskSpace {
        var found = try base.space()
        found.freeBytes = max(0, min(found.freeBytes, budget.room(for: use)))
        return found
    }

    func rename(_ name: String, to newName: String) throws(DiskFailure) {
        try base.rename(name, to: newName)
    }

    func remove(_ name: String) throws(DiskFailure) { try base.remove(name) }
    func list() throws(DiskFailure) -> [String] { try base.list() }
    func status(of name: String) throws(DiskFailure) -> FileStatus? { try base.status(of: name) }
    func status() throws(DiskFailure) -> FileStatus { try base.status() }
    var longestFile: Int { base.longestFile }
    func sync() throws(DiskFailure) { try base.sync() }
}

/// An open file of a ``BudgetedDisk``.
///
/// Proof: one thread writes a file of a snapshot, an archive or a backup, from its creation to its name.
private final class BudgetedFile: DiskFile, @unchecked Sendable {
    private let base: any DiskFile
    private let name: String
    private let budget: Space
    private let use: SpaceLedger.Use
    private var end: Int

    init(_ base: any DiskFile, _ name: String, _ budget: Space, _ use: SpaceLedger.Use) {
        self.base = base
        self.name = name
        self.budget = budget
        self.use = use
        end = (try? base.length()) ?? 0
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(DiskFailure) -> Int {
        let growth = max(0, offset + bytes.count - end)
        guard growth == 0 || budget.take(growth, for: use) else {
            throw DiskFailure(.write, name, errno: DiskFailure.noSpace)
        }
        let count = try writeWithReserve(bytes, at: offset)
        end = max(end, offset + count)
        return count
    }

    /// Writes bytes. If all free blocks are taken, it gives up parts of the reserve, because the reserve may
    /// hold what a checkpoint claims.
    private func writeWithReserve(
        _ bytes: Span<UInt8>, at offset: Int
    ) throws(DiskFailure) -> Int {
        do {
            return try base.write(bytes, at: offset)
        } catch  where use == .checkpoint && budget.giveUp(bytes.count, after: error) {
            return try base.write(bytes, at: offset)
        }
    }

    func read(
        into buffer: inout [UInt8], from index: Int, at offset: Int
    ) throws(DiskFailure) -> Int {
        try base.read(into: &buffer, from: index, at: offset)
    }

    func truncate(to length: Int) throws(DiskFailure) {
        try base.truncate(to: length)
        end = length
    }

    func syncData() throws(DiskFailure) { try base.syncData() }
    func sync() throws(DiskFailure) { try base.sync() }
    func length() throws(DiskFailure) -> Int { try base.length() }
    func lockExclusively() throws(DiskFailure) -> Bool { try base.lockExclusively() }
    func unlock() { base.unlock() }
    func lockHolder() -> Int32? { base.lockHolder() }
}
