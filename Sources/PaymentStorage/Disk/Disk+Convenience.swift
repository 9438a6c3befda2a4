extension DiskFile {
    /// Writes all of `bytes` at `offset`, continuing after short writes.
    func writeAll(_ bytes: [UInt8], at offset: Int) throws(DiskFailure) {
        var done = 0
        while done < bytes.count {
            done += try write(bytes.span.extracting(droppingFirst: done), at: offset + done)
        }
    }

    /// Reads up to `buffer.count` bytes from `offset` into the front of the buffer.
    ///
    /// - Returns: The number of bytes read; 0 at the end of the file.
    public func read(into buffer: inout [UInt8], at offset: Int) throws(DiskFailure) -> Int {
        try read(into: &buffer, from: 0, at: offset)
    }

    /// Reads the whole file, up to `limit` bytes.
    func readAll(limit: Int) throws(DiskFailure) -> [UInt8] {
        try readBytes(at: 0, count: min(length(), limit))
    }

    /// Reads `count` bytes from `offset`, fewer at the end of the file.
    func readBytes(at offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var end = 0
        while end < count {
            let got = try read(into: &result, from: end, at: offset + end)
            if got == 0 { break }
            end += got
        }
        result.removeLast(count - end)
        return result
    }

    /// Allocates space by writing line feeds.
    public func allocate(upTo length: Int) throws(DiskFailure) {
        let end = try self.length()
        if end < length { try fillWithLineFeeds(end..<length) }
    }

    /// Fills a range with line feeds, which readers of lines ignore.
    func fillWithLineFeeds(_ range: Range<Int>) throws(DiskFailure) {
        let slice = [UInt8](repeating: UInt8(ascii: "\n"), count: min(range.count, 1 << 18))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(slice.count, range.upperBound - offset)
            try writeAll(count == slice.count ? slice : Array(slice.prefix(count)), at: offset)
            offset += count
        }
    }
}

extension Disk {
    /// Replaces a small file atomically: writes a temporary file, syncs it, renames it and syncs
    /// the directory. A reader gets the old bytes or the new ones, also after a power cut.
    func replaceFile(_ name: String, with bytes: [UInt8]) throws(DiskFailure) {
        let temporary = name + temporarySuffix
        try removeIfPresent(temporary)
        let file = try open(temporary, .create)
        try file.writeAll(bytes, at: 0)
        try file.sync()
        try rename(temporary, to: name)
        try sync()
    }

    /// Removes a name if it exists.
    func removeIfPresent(_ name: String) throws(DiskFailure) {
        do {
            try remove(name)
        } catch  where error.isNotFound {
            return
        }
    }
}

/// The suffix of unfinished files; recovery removes them.
let temporarySuffix = ".tmp"
