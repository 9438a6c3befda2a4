internal import Crypto
internal import PaymentCore
internal import StrictJSON

/// Copies a journal under the identifier of another store.
///
/// Every segment and every snapshot contains the identifier of its store, and all lines and files
/// are chained by checksums. All of them are therefore rewritten with the same lines and sequence
/// numbers and new checksums.
struct StoreRewriter {
    private let source: any Disk
    private let target: any Disk
    private let format: StoreFormat
    private let lineLimit: Int
    /// The ends of the rewritten segments, by the first sequence number of the next segment.
    private var ends: [SequenceNumber: SegmentHeader.Previous] = [:]
    /// Files of closed things that the target has in another form, by their names.
    private let rewritten: [String: ArchiveFile]
    /// The sequence number of the last line copied.
    private(set) var lastLine: SequenceNumber = 0

    init(
        from source: any Disk, to target: any Disk, as format: StoreFormat, lineLimit: Int,
        rewritten: [String: ArchiveFile] = [:]
    ) {
        self.rewritten = rewritten
        self.source = source
        self.target = target
        self.format = format
        self.lineLimit = lineLimit
    }

    /// Copies everything except the format file.
    mutating func run() throws {
        let inventory = try Inventory(source)
        try run(segments: inventory.segments, snapshots: inventory.snapshots)
    }

    /// Copies the given segments and snapshots only.
    mutating func run(segments: [SequenceNumber], snapshots: [SequenceNumber]) throws {
        for first in segments { try segment(first) }
        for last in snapshots { try snapshot(last) }
        try target.sync()
    }

    private mutating func segment(_ first: SequenceNumber) throws {
        let name = FileName.segment(first: first)
        let file = try source.open(name, .read)
        var scanner = SegmentScanner(
            file: file, limit: try file.length(), expected: first, lineLimit: lineLimit)
        var output = SegmentOutput(file: try target.open(name, .create))
        // Bytes after the last good line belong to no line; the backup was verified before.
        while case .line(let line) = try scanner.next() {
            var text = Array(line.content.bytes[line.content.range])
            if line.content.isWord("segment") {
                var header = try SegmentHeader(line)
                header.store = format.store
                header.previous = ends[first] ?? header.previous
                text = Self.line(line.content) { header.encode(into: &$0) }
            } else if line.content.isWord("seal") {
                var seal = try SegmentSeal(line)
                seal.digest = output.digest.hex
                text = Self.line(line.content) { seal.encode(into: &$0) }
            }
            try output.add(&text)
        }
        ends[scanner.expected] = try output.finish()
        lastLine = scanner.expected - 1
    }

    /// A line with another payload.
    private static func line(
        _ content: LineContent, payload: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.raw(Array(content.bytes[content.range.lowerBound..<content.payloadOffset]))
        payload(&writer)
        writer.raw("}")
        return writer.bytes
    }

    private func snapshot(_ last: SequenceNumber) throws {
        let name = FileName.snapshot(last: last)
        let file = try SnapshotFile(verifying: name, on: source)
        var header = file.header
        header.store = format.store
        header.epoch = format.epoch
        header.position.previous = ends[header.position.next] ?? header.position.previous
        if var history = header.history {
            let files = history.manifest.files
            for closed in files where try target.status(of: closed.name) == nil {
                _ = try FileCopy.copy(closed.name, of: source, to: target, upTo: closed.bytes)
            }
            history.manifest = ArchiveManifest(files.map { rewritten[$0.name] ?? $0 })
            header.history = history
        }
        let sink = SnapshotSink(
            file: try target.open(name, .create), sync: StorageEnvironment.syncAtOnce)
        sink.line { header.encode(into: &$0) }
        try file.forEachItem { content in
            sink.line { $0.raw(content.bytes.span.extracting(content.range)) }
        }
        _ = try sink.finish()
    }
}

/// The output of one segment: chains its lines and writes them.
struct SegmentOutput {
    private(set) var digest = SHA256()
    private let file: any DiskFile
    private var chain: UInt32 = 0
    private var buffer: [UInt8] = []
    private var offset = 0

    init(file: any DiskFile) {
        self.file = file
    }

    /// Adds a line without its line feed.
    mutating func add(_ line: inout [UInt8]) throws(DiskFailure) {
        let seed = chain
        chain = line.withUnsafeBytes { LineFormat.checksum($0, seed: seed) }
        LineFormat.put(chain, into: &line, lineAt: 0)
        line.append(UInt8(ascii: "\n"))
        digest.update(line)
        buffer += line
        if buffer.count >= 1 << 20 { try flush() }
    }

    /// Writes the remaining lines and syncs; returns the end of the segment.
    mutating func finish() throws(DiskFailure) -> SegmentHeader.Previous {
        try flush()
        try file.sync()
        return SegmentHeader.Previous(checksum: chain, digest: digest.hex)
    }

    private mutating func flush() throws(DiskFailure) {
        try file.writeAll(buffer, at: offset)
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
