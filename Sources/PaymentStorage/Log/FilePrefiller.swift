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

/// Makes a prefilled file away from the thread that commits.
final class FilePrefiller: Sendable {
    private enum State {
        /// Nothing asked for. Next: filling.
        case idle
        /// Another thread is at it. Next: ready, failed.
        case filling
        /// Done, not yet fetched. Next: idle.
        case ready(PrefilledFile)
        /// The disk would not. Next: idle, when the owner thinks that it is worth another try.
        case failed
    }

    private static let sliceBytes = 1 << 20

    private let disk: any Disk
    private let name: String
    private let state = Mutex(State.idle)

    /// Prepares files under a name of this directory.
    init(disk: any Disk, name: String) {
        self.disk = disk
        self.name = name
    }

    /// Whether the last attempt failed.
    var hasFailed: Bool {
        state.withLock { if case .failed = $0 { true } else { false } }
    }

    /// Has a file prefilled unless one is ready or under way, or the last attempt failed.
    ///
    /// - Parameters:
    ///   - length: In bytes.
    ///   - margin: Bytes that must stay free on the disk besides.
    ///   - background: Runs the work.
    func start(
        length: Int, margin: Int64, background: (_ work: @escaping @Sendable () -> Void) -> Void
    ) {
        let isMine = state.withLock { state in
            guard case .idle = state else { return false }
            state = .filling
            return true
        }
        guard isMine else { return }
        background { [disk, name, self] in
            let prefilled = try? Self.prefillWithin(margin, name, on: disk, length: length)
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

    /// Makes the file unless that would take the last room from lines that are waiting for it.
    private static func prefillWithin(
        _ margin: Int64, _ name: String, on disk: any Disk, length: Int
    ) throws(DiskFailure) -> PrefilledFile? {
        guard try disk.space().freeBytes >= Int64(length) + margin else { return nil }
        return try prefill(name, on: disk, length: length)
    }

    /// Makes the file on this thread. A file that could not be filled is taken away again.
    static func prefill(
        _ name: String, on disk: any Disk, length: Int
    ) throws(DiskFailure) -> PrefilledFile {
        try disk.removeIfPresent(name)
        let file = try disk.open(name, .create)
        do {
            // In slices, so that a commit on another file never queues behind a large write.
            for start in stride(from: 0, to: length, by: sliceBytes) {
                try file.fillWithLineFeeds(start..<min(start + sliceBytes, length))
                try file.sync()
            }
        } catch {
            // The room is wanted back; should this fail too, the next start clears up.
            try? disk.remove(name)
            throw error
        }
        return PrefilledFile(file: file, name: name, length: length)
    }
}
