internal import PaymentCore
internal import Synchronization

/// Measures the space of a state directory, keeps the reserve, and decides how much each use may take.
///
/// There is one for all journals of the directory. The committing thread asks it before new work is accepted.
/// Threads that write snapshots and backups ask it before each write.
final class Space: Sendable {
    private struct State {
        var ledger: SpaceLedger
        var reserve: ReserveFiles?
        var shortage: Room.Shortage?
        var lastFailure: DiskFailure?
        /// Whether a write met a quota, which the free bytes do not show.
        var hasQuota = false
        var lastCheck: Int64?
        /// Whether the claims of accepted work are known. Before that no part of the reserve is given back.
        var knowsClaims = false
    }

    private let disk: any Disk
    private let policy: JournalPolicy
    private let state: Mutex<State>

    /// Room below which new work is refused until the next measurement, so that the state does not
    /// change with each request: about ten payments.
    private var leastRoom: Int { policy.marginBytes / 16 }
    /// The number of bytes by which the reserve is extended beyond what new work needs. This addition is at
    /// most an eighth of the available bytes.
    private static let step: Int64 = 4 << 20

    /// Measures the room of a directory and finds its reserve. Changes nothing.
    init(_ disk: any Disk, policy: JournalPolicy) {
        self.disk = disk
        self.policy = policy
        var ledger = SpaceLedger(
            margin: policy.marginBytes, leastFreeFiles: policy.leastFreeFiles)
        // Files that cannot be found now are made again later.
        let reserve = try? ReserveFiles(on: disk, segmentBytes: max(policy.segmentBytes, 4096))
        ledger.reserve = Int64(reserve?.bytes ?? 0)
        state = Mutex(State(ledger: ledger, reserve: reserve))
        state.withLock { measure(&$0) }
    }

    /// The numbers, for status and tests.
    var room: Room {
        state.withLock { state in
            Room(
                freeBytes: max(0, state.ledger.free), prefilledBytes: state.ledger.prefilled,
                reserveBytes: state.ledger.reserve, claimedBytes: state.ledger.claimed,
                availableBytes: state.ledger.available, shortage: shortage(of: state))
        }
    }

    /// Whether old files should be removed, because space is or will soon be short.
    var isPressed: Bool {
        state.withLock { isPressed($0) }
    }

    private func isPressed(_ state: State) -> Bool {
        state.shortage != nil || state.ledger.available < Int64(policy.segmentBytes)
    }

    /// The reason why new work is refused: a limit of file sizes below the length of a segment, or what the last
    /// measurement found. The limit is read each time, because the process ends when a record does not fit.
    private func shortage(of state: State) -> Room.Shortage? {
        disk.longestFile < policy.segmentBytes ? .fileSize : state.shortage
    }

    /// The last failure for lack of space.
    var lastFailure: String? { state.withLock { $0.lastFailure?.description } }

    /// The claims of accepted work, as the owner passed them last.
    var claims: SpaceClaims { state.withLock { $0.ledger.claims } }

    /// Whether new work fits beside the claims of accepted work. The reserve is extended first, so that no
    /// other process can take the space of accepted work.
    func admits(_ bytes: Int, beside claims: SpaceClaims) -> Bool {
        state.withLock { state in
            state.ledger.claims = claims
            state.knowsClaims = true
            guard shortage(of: state) == nil else { return false }
            guard state.ledger.admits(bytes) else {
                let hasFiles = state.ledger.freeFiles >= state.ledger.leastFreeFiles
                state.shortage = hasFiles ? .bytes : .files
                return false
            }
            return backUp(bytes, &state)
        }
    }

    /// Stores the claims of accepted work.
    func hold(_ claims: SpaceClaims) {
        state.withLock { state in
            state.ledger.claims = claims
            state.knowsClaims = true
        }
    }

    /// Counts bytes that were written ahead or, if negative, are written ahead no longer. Those of the
    /// journals in subdirectories do not count.
    func prefilled(by bytes: Int, on disk: any Disk) {
        guard disk === self.disk else { return }
        state.withLock { $0.ledger.prefilled += Int64(bytes) }
    }

    /// Counts bytes that a segment took from the free ones.
    func took(_ bytes: Int) {
        guard bytes > 0 else { return }
        state.withLock { $0.ledger.take(bytes) }
    }

    /// Records that something failed, if it failed for lack of space.
    func failed(_ failure: DiskFailure) {
        state.withLock { note(failure, &$0) }
    }

    /// Whether a use may take so many bytes now; takes nothing.
    func hasRoom(_ bytes: Int, for use: SpaceLedger.Use) -> Bool {
        state.withLock { $0.ledger.room(for: use) >= Int64(bytes) }
    }

    /// The free bytes that a use may take.
    func room(for use: SpaceLedger.Use) -> Int64 {
        state.withLock { $0.ledger.room(for: use) }
    }

    /// Takes bytes for a use from those that are not claimed; false if there are too few.
    func take(_ bytes: Int, for use: SpaceLedger.Use) -> Bool {
        state.withLock { state in
            // Space may have become free since the last measurement.
            if state.ledger.room(for: use) < Int64(bytes) { measure(&state) }
            guard state.ledger.room(for: use) >= Int64(bytes) else { return false }
            state.ledger.take(bytes)
            return true
        }
    }

    /// Gives blocks of the reserve back to the file system, for a write that found it full.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that could not be written.
    ///   - failure: The failure of the write.
    /// - Returns: False if the failure has another cause, or no reserve was left. No room helps against a limit of
    ///   file sizes.
    func giveUp(_ bytes: Int, after failure: DiskFailure) -> Bool {
        guard failure.isOutOfSpace, failure.shortage != .fileSize else { return false }
        return state.withLock { state in
            guard let reserve = state.reserve else { return false }
            // Files grow by whole blocks and need blocks that describe them.
            let wanted = max(2 * bytes, min(1 << 18, policy.segmentBytes))
            return shrink(to: max(0, reserve.bytes - wanted), &state)
        }
    }

    /// Hands a part of the reserve over as a file of the same directory, whose blocks are allocated and
    /// whose content is undefined. It counts as written ahead.
    ///
    /// - Returns: Its length; nil if there is none.
    func takePart(as name: String, on disk: any Disk) -> Int? {
        guard disk === self.disk else { return nil }
        return state.withLock { state in
            let part = try? state.reserve?.takePart(as: name)
            // A part that was cut, and could not be taken, is shorter as well.
            state.ledger.reserve = Int64(state.reserve?.bytes ?? 0)
            guard let length = part else { return nil }
            state.ledger.prefilled += Int64(length)
            return length
        }
    }

    /// Whether the reserve is in a directory.
    func isKept(in disk: any Disk) -> Bool { disk === self.disk }

    /// Adds a file that was written ahead to the reserve.
    ///
    /// - Returns: False if the directory keeps no reserve.
    func keep(_ name: String, of disk: any Disk) throws(DiskFailure) -> Bool {
        guard disk === self.disk else { return false }
        return try state.withLock { state throws(DiskFailure) in
            guard policy.reserveBytes > 0, state.reserve != nil else { return false }
            try state.reserve?.add(name)
            state.ledger.reserve = Int64(state.reserve?.bytes ?? 0)
            return true
        }
    }

    /// Measures the file system, at most once a second, and brings the reserve to the length that it should
    /// have. A shortage ends when there is space again.
    ///
    /// - Parameter now: A monotonic clock in milliseconds.
    func check(now: Int64) {
        state.withLock { state in
            if let last = state.lastCheck, now - last < 1000 { return }
            state.lastCheck = now
            settle(&state)
        }
    }

    /// Brings the reserve to the length that it should have: after a start, and when a segment has given
    /// back what was written ahead.
    func restore() {
        state.withLock { settle(&$0) }
    }

    private func settle(_ state: inout State) {
        measure(&state)
        let was = state.shortage
        state.shortage = nil
        let isFilling = state.hasQuota || was != nil && was != .files
        let wanted = state.ledger.wantedReserve(isFilling: isFilling)
        let target = max(Int64(policy.reserveBytes), wanted)
        if policy.reserveBytes > 0, let reserve = state.reserve {
            let bytes = Int64(reserve.bytes)
            if bytes < target {
                // A file system needs some blocks for itself.
                let most = bytes + max(0, state.ledger.free - state.ledger.margin / 4)
                _ = grow(to: min(target, most), &state)
                if most < wanted { state.shortage = state.shortage ?? .bytes }
            } else if state.knowsClaims, bytes > target + max(Self.step, target / 4) {
                _ = shrink(to: Int(target), &state)
            }
        }
        if state.ledger.freeFiles < state.ledger.leastFreeFiles {
            state.shortage = .files
        } else if state.shortage == nil, !state.ledger.admits(leastRoom) {
            state.shortage = was ?? .bytes
        }
    }

    /// Extends the reserve for new work, so that it holds all claims when the disk is nearly full.
    private func backUp(_ bytes: Int, _ state: inout State) -> Bool {
        guard policy.reserveBytes > 0, let reserve = state.reserve else { return true }
        let wanted = state.ledger.wantedReserve(for: bytes, isFilling: state.hasQuota)
        guard Int64(reserve.bytes) < wanted else { return true }
        // In steps, so that few requests pay for it.
        let step = min(Self.step, max(0, state.ledger.available / 8))
        return grow(to: wanted + step, &state) || grow(to: wanted, &state)
    }

    private func grow(to target: Int64, _ state: inout State) -> Bool {
        let before = state.reserve?.bytes ?? 0
        var isDone = true
        do {
            try state.reserve?.grow(to: Int(target))
            if state.shortage != .files { state.shortage = nil }
        } catch {
            // Any other cause, such as too few descriptors, is no reason to refuse work: there is room for it.
            isDone = !error.isOutOfSpace
            note(error, &state)
        }
        let after = state.reserve?.bytes ?? 0
        state.ledger.reserve = Int64(after)
        state.ledger.take(after - before)
        return isDone
    }

    private func shrink(to target: Int, _ state: inout State) -> Bool {
        let before = state.reserve?.bytes ?? 0
        // A failure to shrink the reserve does not fail the write that needs the space.
        try? state.reserve?.shrink(to: target)
        let after = state.reserve?.bytes ?? 0
        state.ledger.reserve = Int64(after)
        state.ledger.take(after - before)
        return after < before
    }

    private func note(_ failure: DiskFailure, _ state: inout State) {
        guard failure.isOutOfSpace else { return }
        measure(&state)
        state.lastFailure = failure
        if failure.shortage == .quota { state.hasQuota = true }
        state.shortage =
            failure.shortage
            ?? (state.ledger.freeFiles < state.ledger.leastFreeFiles ? .files : .bytes)
    }

    private func measure(_ state: inout State) {
        // If the measurement fails, the numbers stay as they are. The next write finds out.
        guard let space = try? disk.space() else { return }
        state.ledger.free = space.freeBytes
        state.ledger.freeFiles = space.freeFiles
        state.ledger.isCopyOnWrite = space.kind == .copyOnWrite
    }
}
