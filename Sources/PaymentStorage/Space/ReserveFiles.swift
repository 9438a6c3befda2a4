/// The files `reserve`, `reserve-1`, …: blocks that belong to this directory until it needs them.
///
/// Their bytes are allocated and not written. A part becomes the next segment by a rename, so that no other
/// process can take its blocks in between. Or it is cut, so that other files can grow.
struct ReserveFiles: Sendable {
    private struct Part {
        var number: Int
        var length: Int
    }

    /// The least length of a part that becomes a segment: a block, which has room for the header.
    private static let leastBytes = 4096

    private let disk: any Disk
    /// The greatest length of a part, that of a segment.
    private let segmentBytes: Int
    private var parts: [Part] = []

    /// Finds the parts in a directory.
    init(on disk: any Disk, segmentBytes: Int) throws(DiskFailure) {
        self.disk = disk
        self.segmentBytes = segmentBytes
        for name in try disk.list() {
            guard let number = FileName.reserveNumber(name),
                let status = try disk.status(of: name), status.kind == .regular
            else { continue }
            parts.append(Part(number: number, length: status.length))
        }
        parts.sort { $0.number < $1.number }
    }

    /// The bytes of all parts.
    var bytes: Int { parts.reduce(0) { $0 + $1.length } }

    /// Extends the last part, and adds parts, up to a length of all in bytes.
    ///
    /// A part has a sixteenth of the target or of a segment, whichever is more, and at most the length of a
    /// segment. Parts are small because only the journal can use the rest of the last segment.
    ///
    /// - Throws: The disk has no more room; what was allocated stays.
    mutating func grow(to target: Int) throws(DiskFailure) {
        let partBytes = min(segmentBytes, max(segmentBytes / 16, target / 16, Self.leastBytes))
        while bytes < target {
            if let last = parts.last, last.length < partBytes {
                try extend(parts.count - 1, by: target - bytes, upTo: partBytes)
            } else {
                let number = parts.last.map { $0.number + 1 } ?? 0
                let name = FileName.reserve(number)
                try disk.removeIfPresent(name)
                _ = try disk.open(name, .create)
                parts.append(Part(number: number, length: 0))
            }
        }
    }

    private mutating func extend(
        _ index: Int, by bytes: Int, upTo partBytes: Int
    ) throws(DiskFailure) {
        let name = FileName.reserve(parts[index].number)
        let target = min(partBytes, parts[index].length + bytes)
        let file = try disk.open(name, .update)
        do {
            try file.allocate(upTo: target)
            parts[index].length = target
        } catch {
            // Some of the blocks may be allocated.
            parts[index].length = (try? file.length()) ?? parts[index].length
            if parts[index].length == 0 {
                try? disk.remove(name)
                parts.remove(at: index)
            }
            throw error
        }
    }

    /// Gives blocks back until at most so many bytes are left.
    mutating func shrink(to target: Int) throws(DiskFailure) {
        while let last = parts.last, bytes > target {
            let excess = bytes - target
            if last.length <= excess {
                try disk.removeIfPresent(FileName.reserve(last.number))
                parts.removeLast()
            } else {
                try cut(parts.count - 1, to: last.length - excess)
            }
        }
    }

    /// Cuts the file of a part to a length in bytes.
    private mutating func cut(_ index: Int, to length: Int) throws(DiskFailure) {
        try disk.open(FileName.reserve(parts[index].number), .update).truncate(to: length)
        parts[index].length = length
    }

    /// Hands over the last part that is long enough under another name. Cuts it to the limit of file sizes.
    ///
    /// - Returns: Its length; nil if there is no such part, or no file may be as long.
    mutating func takePart(as name: String) throws(DiskFailure) -> Int? {
        let limit = disk.longestFile
        guard limit >= Self.leastBytes,
            let index = parts.lastIndex(where: { $0.length >= Self.leastBytes })
        else { return nil }
        if parts[index].length > limit { try cut(index, to: limit) }
        try disk.rename(FileName.reserve(parts[index].number), to: name)
        return parts.remove(at: index).length
    }

    /// Takes a file as another part.
    mutating func add(_ name: String) throws(DiskFailure) {
        guard let length = try disk.status(of: name)?.length else { return }
        let number = parts.last.map { $0.number + 1 } ?? 0
        try disk.rename(name, to: FileName.reserve(number))
        parts.append(Part(number: number, length: length))
    }
}
