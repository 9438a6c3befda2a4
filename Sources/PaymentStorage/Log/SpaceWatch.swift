/// How much room the file system of a journal has left.
public enum SpaceLevel: Int, Sendable, Hashable, Comparable {
    /// Enough.
    case ample
    /// An operator should know.
    case low
    /// Nothing new should be accepted; what was accepted can still be brought to its end.
    case short

    /// Orders by how bad it is.
    public static func < (left: SpaceLevel, right: SpaceLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Watches the room on the disk and keeps some of it back.
final class SpaceWatch {
    private let disk: any Disk
    private let policy: JournalPolicy
    private let environment: StorageEnvironment
    private let reserve: FilePrefiller
    private var lastCheck: Int64?
    private var measured = SpaceLevel.ample
    /// Whether the reserve was freed and is not back yet.
    private(set) var isReserveGone = false

    init(disk: any Disk, policy: JournalPolicy, environment: StorageEnvironment) {
        self.disk = disk
        self.policy = policy
        self.environment = environment
        reserve = FilePrefiller(disk: disk, name: FileName.reserve)
    }

    /// The level, from what is known without asking.
    var level: SpaceLevel { isReserveGone || reserve.hasFailed ? .short : measured }

    /// Has the reserve made if there is none of the right length.
    func makeReserve() {
        guard policy.reserveBytes > 0 else { return }
        guard !isReserveThere else {
            isReserveGone = false
            return
        }
        reserve.start(
            length: policy.reserveBytes, margin: 0, background: environment.background)
    }

    /// Frees the reserve for the batch that found the disk full; false if there was none.
    func giveUpReserve() -> Bool {
        isReserveGone = true
        _ = reserve.take()
        do {
            try disk.remove(FileName.reserve)
            return true
        } catch {
            // Without a reserve there is nothing to win; the caller reports the full disk.
            return false
        }
    }

    /// Asks the file system, at most once a second, and gets the reserve back when there is room.
    ///
    /// - Parameter now: A monotonic clock in milliseconds.
    /// - Returns: Whether it asked.
    func check(now: Int64) -> Bool {
        if let lastCheck, now - lastCheck < 1000 { return false }
        lastCheck = now
        // An answer that cannot be had changes nothing; the next write tells.
        guard let space = try? disk.space() else { return true }
        measured = level(of: space)
        // Asked of the disk, because a reserve may be freed while it is still being made.
        if reserve.take() != nil, isReserveThere { isReserveGone = false }
        let needed = Int64(policy.reserveBytes) + policy.shortFreeBytes
        if (isReserveGone || reserve.hasFailed) && space.freeBytes > needed {
            reserve.retry()
            makeReserve()
        }
        return true
    }

    private var isReserveThere: Bool {
        guard let status = try? disk.status(of: FileName.reserve) else { return false }
        return status.length >= policy.reserveBytes
    }

    private func level(of space: DiskSpace) -> SpaceLevel {
        if space.freeBytes < policy.shortFreeBytes || space.freeFiles < policy.shortFreeFiles {
            return .short
        }
        return space.freeBytes < policy.lowFreeBytes ? .low : .ample
    }
}
