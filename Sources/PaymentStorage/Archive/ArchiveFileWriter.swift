internal import Crypto
internal import PaymentCore
internal import StrictJSON

/// Writes one archive file or ledger: header, lines, seal.
///
/// The bytes are written and synced in slices under a temporary name. ``finish(last:)`` renames the
/// file; the name is durable after a sync of the directory.
final class ArchiveFileWriter: ItemSink {
    private let disk: any Disk
    private let header: ArchiveHeader
    private let temporary: String
    private var file: PacedFile
    private var writer = JSONWriter(capacity: 1 << 18)
    private var digest = SHA256()
    private var chain: UInt32 = 0
    private var lines: UInt64 = 0
    /// The times of the oldest and the newest line; nil without lines.
    private var times: (oldest: Timestamp, newest: Timestamp)?
    private var productNumbers: Set<UInt32> = []
    private var bytesByUser: [UInt32: Int] = [:]
    /// The sequence number of the last line.
    private(set) var last: SequenceNumber

    init(
        _ kind: ArchiveFile.Kind, from first: SequenceNumber, of store: UniqueID,
        on disk: any Disk, sync: @escaping BackgroundSync
    ) throws(DiskFailure) {
        self.disk = disk
        header = ArchiveHeader(kind: kind, first: first, store: store)
        last = first
        temporary = "\(kind.rawValue)-\(FileName.padded(first)).ndjson\(temporarySuffix)"
        try disk.removeIfPresent(temporary)
        file = PacedFile(try disk.open(temporary, .create), sync: sync)
        item("archive") { header.encode(into: &$0) }
        lines = 0
    }

    /// Removes the unfinished file. If that fails, a start removes it, or the next writer of its name.
    func discard() { try? disk.removeIfPresent(temporary) }

    /// The length so far, in bytes.
    var bytes: Int { file.length + writer.bytes.count }

    /// Adds a closed thing, after its product if the file lacks that.
    ///
    /// - Parameters:
    ///   - fact: The closed thing.
    ///   - sequence: The record that closed it; not less than that of the line before.
    ///   - time: The time of that record.
    ///   - user: The user that is charged for the line; nil for no user.
    /// - Throws: The file cannot be written.
    func add(
        _ fact: ClosedFact, _ sequence: SequenceNumber, at time: Timestamp, for user: UInt32?
    ) throws(DiskFailure) {
        precondition(sequence >= last, "closed things are out of order")
        last = sequence
        note(time)
        if case .transaction(let transaction, _, _) = fact {
            let product = transaction.payment.product
            if productNumbers.insert(product.number).inserted { add(.product(product)) }
        }
        let before = bytes
        add(fact.item)
        if let user { bytesByUser[user, default: 0] += bytes - before }
        try flush(ifOver: PacedFile.pieceBytes)
    }

    /// Copies the lines of another file, with new checksums.
    func copy(_ other: ArchiveFile) throws(ArchiveFailure) {
        var scanner = try ArchiveScanner(other, of: header.store, on: disk)
        note(other.oldest)
        note(other.newest)
        bytesByUser.merge(other.bytesByUser, uniquingKeysWith: +)
        while let line = try scanner.next() {
            if line.content.isWord("product"), try !note(line.content, of: other) { continue }
            last = max(last, line.sequence)
            let start = writer.bytes.count
            scanner.withLastLine { writer.bytes.append(contentsOf: $0) }
            chain = ArchiveLine.end(&writer, lineAt: start, seed: chain)
            lines += 1
            try onDisk(try flush(ifOver: PacedFile.pieceBytes))
        }
    }

    /// Copies the intact lines of a damaged file, with a line for each product that they name.
    func copy(_ other: ArchiveSalvage) throws(DiskFailure) {
        note(other.file.oldest)
        note(other.file.newest)
        bytesByUser.merge(other.file.bytesByUser, uniquingKeysWith: +)
        for (line, product) in other.lines {
            last = max(last, line.sequence)
            if let product {
                if productNumbers.insert(product.number).inserted { add(.product(product)) }
                if line.content.isWord("product") { continue }
            }
            let start = writer.bytes.count
            writer.raw(line.content.bytes.span.extracting(line.content.range))
            chain = ArchiveLine.end(&writer, lineAt: start, seed: chain)
            lines += 1
            try flush(ifOver: PacedFile.pieceBytes)
        }
    }

    /// Appends one line. Throws nothing: the bytes are written later.
    func item(_ word: StaticString, payload: (inout JSONWriter) -> Void) {
        let start = writer.bytes.count
        ArchiveLine.begin(last, &writer)
        writer.raw(word)
        writer.raw("\",\"d\":")
        payload(&writer)
        writer.raw("}")
        chain = ArchiveLine.end(&writer, lineAt: start, seed: chain)
        lines += 1
    }

    /// Writes the seal, syncs the file and renames it.
    ///
    /// - Parameter end: The last sequence number that the file covers.
    /// - Returns: The file as a manifest names it.
    /// - Throws: The file cannot be written, synced or renamed.
    func finish(last end: SequenceNumber) throws(DiskFailure) -> ArchiveFile {
        precondition(end >= last, "an archive file covers its lines")
        try flush(ifOver: 0)
        let count = lines
        let newest = times?.newest ?? Timestamp(milliseconds: 0)
        let seal = ArchiveSeal(count: count, newest: newest, digest: digest.hex)
        last = end
        item("seal") { seal.encode(into: &$0) }
        try flush(ifOver: 0)
        try file.finish()
        let made = ArchiveFile(
            kind: header.kind, first: header.first, last: end, bytes: file.length, lines: count,
            oldest: times?.oldest ?? newest, newest: newest, digest: seal.digest,
            bytesByUser: bytesByUser)
        try disk.rename(temporary, to: made.name)
        return made
    }

    private func note(_ time: Timestamp) {
        times = (min(times?.oldest ?? time, time), max(times?.newest ?? time, time))
    }

    /// Notes a product of another file; false if this file already has it.
    private func note(
        _ content: LineContent, of other: ArchiveFile
    ) throws(ArchiveFailure) -> Bool {
        do throws(PayloadFault) {
            let product = try content.recordedProduct(content.payloadOffset)
            return productNumbers.insert(product.number).inserted
        } catch {
            throw .damaged(file: other.name, offset: 0, reason: error.description)
        }
    }

    private func flush(ifOver limit: Int) throws(DiskFailure) {
        guard writer.bytes.count > limit else { return }
        digest.update(writer.bytes)
        try file.append(writer.bytes)
        writer.removeAll()
    }
}
