internal import PaymentCore

/// Reads single lines of archive files and verifies each against the checksum of the line before.
/// The last file stays open.
struct ArchiveLineReader {
    let disk: any Disk
    private var opened: (name: String, file: any DiskFile)?

    /// The number of bytes to read before and after the beginning of a line at first.
    private static let window = 2048

    init(_ disk: any Disk) {
        self.disk = disk
    }

    /// Reads a line.
    ///
    /// - Throws: `.damaged` if no intact line begins at the offset.
    mutating func line(
        at offset: Int, of archive: ArchiveFile
    ) throws(ArchiveFailure) -> ArchiveLine {
        let file = try open(archive)
        var window = Self.window
        while true {
            let start = max(0, offset - window)
            let bytes = try onDisk(try file.readBytes(at: start, count: offset - start + window))
            let own = offset - start
            let ends = bytes.withUnsafeBytes { indexOfLineFeed(in: $0, from: own) }
            let before = bytes.prefix(max(0, own - 1)).lastIndex(of: UInt8(ascii: "\n"))
            // The file ends before the line does: the file was cut.
            if ends == nil, bytes.count < own + window { throw damage(archive, offset) }
            guard let end = ends, let previous = before.map({ $0 + 1 }) ?? (start == 0 ? 0 : nil)
            else {
                window *= 4
                continue
            }
            guard own > 0, bytes[own - 1] == UInt8(ascii: "\n"),
                let seed = Self.checksum(bytes[previous..<own]),
                bytes.withUnsafeBytes({
                    LineFormat.verify(UnsafeRawBufferPointer(rebasing: $0[own..<end]), seed: seed)
                }) != nil,
                let line = ArchiveLine(own..<end, in: bytes)
            else { throw damage(archive, offset) }
            return line
        }
    }

    private mutating func open(_ archive: ArchiveFile) throws(ArchiveFailure) -> any DiskFile {
        if let opened, opened.name == archive.name { return opened.file }
        let file = try onDisk(try disk.open(archive.name, .read))
        opened = (archive.name, file)
        return file
    }

    /// The checksum that a line claims.
    private static func checksum(_ line: ArraySlice<UInt8>) -> UInt32? {
        let digits = line.dropFirst(LineFormat.checksumOffset).prefix(8)
        return LineFormat.checksum(hex: String(decoding: digits, as: UTF8.self))
    }

    private func damage(_ archive: ArchiveFile, _ offset: Int) -> ArchiveFailure {
        .damaged(file: archive.name, offset: offset, reason: "the line is damaged")
    }
}
