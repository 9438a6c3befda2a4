/// A file of a simulated disk: what the page cache shows, and what a power cut would leave.
///
/// Bytes reach the disk by sectors of 512. Until a sync every changed sector may or may not be
/// there after a power cut, each for itself; a sector that a file was extended by and that is not
/// there reads as zeros.
struct MemoryNode: Sendable {
    static let sectorBytes = 512

    /// What readers see.
    private(set) var cache: [UInt8] = []
    /// What is on the disk for certain.
    private(set) var stable: [UInt8] = []
    /// Sectors that were changed since the last sync.
    private(set) var dirty: Set<Int> = []
    /// Whether the length was changed since the last sync.
    private(set) var isLengthDirty = false
    /// Who holds the exclusive lock: the number of an open file.
    var lockOwner: Int?

    /// A file that is on the disk already.
    init(stable: [UInt8] = []) {
        self.stable = stable
        cache = stable
    }

    /// Writes as far as the cache is concerned.
    mutating func write(_ bytes: Span<UInt8>, at offset: Int) {
        let end = offset + bytes.count
        if cache.count < end {
            cache += [UInt8](repeating: 0, count: end - cache.count)
            isLengthDirty = true
        }
        bytes.withUnsafeBufferPointer {
            cache.replaceSubrange(offset..<end, with: $0)
        }
        for sector in offset / Self.sectorBytes...max(offset, end - 1) / Self.sectorBytes {
            dirty.insert(sector)
        }
    }

    /// Damages one byte as if it had been written so.
    mutating func flip(at offset: Int) {
        cache[offset] ^= 1
    }

    /// Cuts or extends as far as the cache is concerned.
    mutating func truncate(to length: Int) {
        guard length != cache.count else { return }
        isLengthDirty = true
        if length < cache.count {
            cache.removeLast(cache.count - length)
        } else {
            cache += [UInt8](repeating: 0, count: length - cache.count)
        }
        dirty.insert(length / Self.sectorBytes)
    }

    /// Brings everything to the disk.
    mutating func sync() {
        stable = cache
        dirty = []
        isLengthDirty = false
    }

    /// Fails to bring anything to the disk, and forgets that it has to: what Linux does with pages
    /// that could not be written. The cache goes on showing them, and the next sync succeeds.
    mutating func failSync() {
        dirty = []
        isLengthDirty = false
    }

    /// What the disk holds after a power cut.
    ///
    /// - Parameter survives: Whether a changed sector had reached the disk.
    /// - Returns: The bytes.
    func afterPowerCut(_ survives: (_ sector: Int) -> Bool) -> [UInt8] {
        guard !dirty.isEmpty || isLengthDirty else { return stable }
        var result = stable
        var reached = stable.count
        for sector in dirty.sorted() where survives(sector) {
            let range =
                sector * Self.sectorBytes..<min((sector + 1) * Self.sectorBytes, cache.count)
            guard !range.isEmpty else { continue }
            if result.count < range.upperBound {
                result += [UInt8](repeating: 0, count: range.upperBound - result.count)
            }
            result.replaceSubrange(range, with: cache[range])
            reached = max(reached, range.upperBound)
        }
        // A cut that was not synced may have reached the disk or not; sector -1 stands for it.
        if isLengthDirty, cache.count < result.count, survives(-1) {
            result.removeLast(result.count - cache.count)
        }
        return result
    }
}
