internal import Crypto
public import PaymentCore
public import StrictJSON

/// The permission to write one snapshot of the state at the time of the ticket.
///
/// It contains all that is needed and shares nothing with the journal. Another thread may therefore
/// use it while the journal is written.
public struct SnapshotTicket: Sendable {
    let disk: any Disk
    var header: SnapshotHeader
    var sync: BackgroundSync

    /// The last sequence number that the state includes.
    public var sequence: SequenceNumber { header.position.next - 1 }

    /// Writes the snapshot to a temporary file, syncs it, verifies it and renames it.
    ///
    /// The journal is never affected. A failed snapshot can be tried again later.
    ///
    /// - Parameters:
    ///   - check: Receives every item read back; throws if it cannot be decoded.
    ///   - items: Adds the items, in an order that depends only on the state.
    /// - Returns: The receipt for ``SegmentedLog/snapshotWasWritten(_:)``.
    /// - Throws: The snapshot was not written.
    public func write(
        check: (LineContent) throws -> Void, items: (SnapshotSink) -> Void
    ) throws(SnapshotFailure) -> SnapshotReceipt {
        let name = FileName.snapshot(last: sequence)
        let temporary = name + temporarySuffix
        do {
            try disk.removeIfPresent(temporary)
            let sink = SnapshotSink(file: try disk.open(temporary, .create), sync: sync)
            sink.line { header.encode(into: &$0) }
            items(sink)
            let bytes = try sink.finish()
            let file = try SnapshotFile(verifying: temporary, on: disk)
            try file.forEachItem(check)
            try disk.rename(temporary, to: name)
            try disk.sync()
            return SnapshotReceipt(
                sequence: sequence, name: name, bytes: bytes, items: Int(file.lines) - 1,
                history: header.history)
        } catch {
            // The removal frees space. The next start removes unfinished files as well.
            try? disk.removeIfPresent(temporary)
            throw SnapshotFailure(
                description: "cannot write snapshot '\(name)': \(error)",
                isOutOfSpace: (error as? DiskFailure)?.isOutOfSpace ?? false)
        }
    }
}

/// The output of a snapshot's lines. It stores the first failure and throws it at the end, so that
/// items can be added in closures that must not throw.
public final class SnapshotSink {
    private var file: PacedFile
    private var writer = JSONWriter(capacity: 1 << 18)
    private var digest = SHA256()
    private var sum: UInt32 = 0
    private var lines: UInt64 = 0
    private var failure: DiskFailure?

    init(file: any DiskFile, sync: @escaping BackgroundSync) {
        self.file = PacedFile(file, sync: sync)
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - word: The type of the item, without characters that need escapes.
    ///   - payload: Appends one JSON object with sorted names.
    public func item(_ word: StaticString, payload: (inout JSONWriter) -> Void) {
        line { writer in
            writer.raw("{\"t\":\"")
            writer.raw(word)
            writer.raw("\",\"d\":")
            payload(&writer)
            writer.raw("}")
        }
    }

    /// Adds an item of the embedded store.
    func add(_ item: StoreRecord) {
        precondition(item.word.utf8.allSatisfy(LineFormat.isLetter), "not a type of an item")
        line { writer in
            writer.raw("{\"t\":\"")
            writer.raw(LineFormat.storePrefix)
            writer.raw(Array(item.word.utf8))
            writer.raw("\",\"d\":")
            writer.raw(item.payload)
            writer.raw("}")
        }
    }

    func line(_ body: (inout JSONWriter) -> Void) {
        guard failure == nil else { return }
        body(&writer)
        writer.raw("\n")
        lines += 1
        if writer.bytes.count >= PacedFile.pieceBytes { flush() }
    }

    /// Writes the trailer and syncs; returns the length of the file in bytes.
    func finish() throws(DiskFailure) -> Int {
        flush()
        if let failure { throw failure }
        SnapshotTrailer(lines: lines, digest: digest.hex, sumOfLines: sum).encode(into: &writer)
        writer.raw("\n")
        flush()
        if let failure { throw failure }
        try file.finish()
        return file.length
    }

    private func flush() {
        digest.update(writer.bytes)
        sum = LineFormat.sum(writer.bytes, after: sum)
        do {
            try file.append(writer.bytes)
        } catch {
            failure = error
        }
        writer.removeAll()
    }
}

/// A snapshot that was written, verified and renamed.
public struct SnapshotReceipt: Sendable, Hashable {
    /// The last sequence number that it includes.
    public let sequence: SequenceNumber
    /// The name of the file.
    public let name: String
    /// The length of the file in bytes.
    public let bytes: Int
    /// The number of items in it.
    public let items: Int
    /// The bytes that items of the embedded store take.
    var storeBytes = 0
    /// The files of closed things that belong to it.
    let history: HistoryFiles?
}

/// A snapshot could not be written. The journal is not affected.
public struct SnapshotFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for users.
    public let description: String
    /// Whether the cause is a lack of space.
    public let isOutOfSpace: Bool
}
