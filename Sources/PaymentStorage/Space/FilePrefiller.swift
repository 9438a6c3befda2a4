internal import Synchronization

/// A file of line feeds, synced, ready to be written over.
///
/// Writing over blocks that were written before needs no transaction of the file system, so a
/// commit into such a file waits for its own bytes only.
struct PrefilledFile: Sendable {
    /// The file.
    var file: any DiskFile
    /// The name that it has until it becomes something.
    var name: String
    /// Its length in bytes.
    var length: Int
}

/// Makes a prefilled file on a thread other than the one that commits.
final class FilePrefiller: Sendable {
    private enum State {
        /// Nothing was requested. Next: filling.
        case idle
        /// Another thread fills the file. Next: ready, failed.
        case filling
        /// The file is filled and was not taken yet. Next: idle.
        case ready(PrefilledFile)
        /// The disk failed. Next: idle, after ``retry()``.
        case failed
    }

    private let disk: any Disk
    private let name: String
    private let state = Mutex(State.idle)

    /// Prepares files under a name of this directory.
    init(disk: any Disk, name: String) {
        self.disk = disk
        self.name = name
    }

    /// Starts to prefill a file, unless one is ready or being filled, or the last attempt failed.
    ///
    /// - Parameters:
    ///   - length: In bytes.
    ///   - space: The room of the directory.
    ///   - usesReserve: Whether a part of the reserve is taken if nothing else is free.
    ///   - environment: Runs the work in the background, and syncs its slices.
    func start(
        length: Int, in space: Space, usesReserve: Bool,
        _ environment: StorageEnvironment
    ) {
        let isMine = state.withLock { state in
            guard case .idle = state else { return false }
            state = .filling
            return true
        }
        guard isMine else { return }
        environment.background { [disk, name, self] in
            let prefilled = try? Self.prefill(
                name, on: disk, length: length, in: space, for: .other, usesReserve: usesReserve,
                sync: environment.backgroundSync)
            state.withLock { $0 = prefilled.map { .ready($0) } ?? .failed }
        }
    }

    /// Hands the prefilled file over, nil if there is none yet.
    func take() -> PrefilledFile? {
        state.withLock { state in
            guard case .ready(let file) = state else { return nil }
            state = .idle
            return file
        }
    }

    /// Allows another attempt after a failed one.
    func retry() {
        state.withLock { state in
            if case .failed = state { state = .idle }
        }
    }

    /// Makes the file on this thread, of free blocks that nothing has claimed or else of a part of the reserve,
    /// which may be shorter. The length of the file counts as written ahead. A file that could not be filled is
    /// taken away again.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - disk: Its directory.
    ///   - length: In bytes.
    ///   - space: The room of the directory.
    ///   - use: What the blocks are for.
    ///   - usesReserve: Whether a part of the reserve is taken if nothing else is free.
    ///   - sync: Syncs each slice; nil to sync once, on the thread that commits.
    /// - Returns: The file.
    /// - Throws: There is no room, or the disk failed.
    static func prefill(
        _ name: String, on disk: any Disk, length: Int, in space: Space, for use: SpaceLedger.Use,
        usesReserve: Bool = true, sync: BackgroundSync? = nil
    ) throws(DiskFailure) -> PrefilledFile {
        try disk.removeIfPresent(name)
        if space.take(length, for: use) {
            do {
                let file = try fill(disk.open(name, .create), length, name, disk, sync)
                space.prefilled(by: length, on: disk)
                return PrefilledFile(file: file, name: name, length: length)
            } catch {
                space.failed(error)
                guard error.isOutOfSpace else { throw error }
            }
        }
        guard usesReserve, let part = space.takePart(as: name, on: disk) else {
            throw DiskFailure(.write, name, errno: DiskFailure.noSpace)
        }
        do {
            let file = try fill(disk.open(name, .update), part, name, disk, sync)
            return PrefilledFile(file: file, name: name, length: part)
        } catch {
            space.prefilled(by: -part, on: disk)
            throw error
        }
    }

    private static func fill(
        _ file: any DiskFile, _ length: Int, _ name: String, _ disk: any Disk,
        _ sync: BackgroundSync?
    ) throws(DiskFailure) -> any DiskFile {
        do {
            if let sync {
                let slice = [UInt8](
                    repeating: UInt8(ascii: "\n"), count: min(length, PacedFile.sliceBytes))
                var paced = PacedFile(file, sync: sync)
                while paced.length < length {
                    let left = length - paced.length
                    try paced.append(left < slice.count ? Array(slice.prefix(left)) : slice)
                }
            } else {
                try file.fillWithLineFeeds(0..<length)
            }
            try file.sync()
            return file
        } catch {
            // The space is needed again. If the removal fails too, the next start removes the file.
            try? disk.remove(name)
            throw error
        }
    }
}
