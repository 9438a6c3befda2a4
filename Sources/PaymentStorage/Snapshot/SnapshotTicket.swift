internal import Crypto
public import PaymentCore
public import StrictJSON

/// The right to write one snapshot: of the state as it was when the ticket was given.
///
/// Carries all that is needed and shares nothing with the journal, so it may be used up on
/// another thread while the journal is written.
public struct SnapshotTicket: Sendable {
    let disk: any Disk
    let header: SnapshotHeader

    /// The sequence number after which the state is true.
    public var sequence: SequenceNumber { header.position.next - 1 }

    /// Writes the snapshot aside, syncs it, reads it back and only then gives it its name.
    ///
    /// The journal is not touched, whatever happens here; a failed snapshot is tried again later.
    ///
    /// - Parameters:
    ///   - check: Gets every item as it was read back; throws if it cannot be understood.
    ///   - items: Adds the items, in an order that depends on nothing but the state.
    /// - Returns: What to give to ``SegmentedLog/snapshotWasWritten(_:)``.
    /// - Throws: The snapshot was not made.
    public func write(
        check: (LineContent) throws -> Void, items: (SnapshotSink) -> Void
    ) throws(SnapshotFailure) -> SnapshotReceipt {
        let name = FileName.snapshot(last: sequence)
        let temporary = name + temporarySuffix
        do {
            try disk.removeIfPresent(temporary)
            let sink = SnapshotSink(file: try disk.open(temporary, .create))
            sink.line { header.encode(into: &$0) }
            items(sink)
            let bytes = try sink.finish()
            let file = try SnapshotFile(verifying: temporary, on: disk)
            try file.forEachItem(check)
            try disk.rename(temporary, to: name)
            try disk.sync()
            return SnapshotReceipt(
                sequence: sequence, name: name, bytes: bytes, items: Int(file.lines) - 1)
        } catch {
            // The room of the unfinished file is wanted back; the next start looks for it too.
            try? disk.removeIfPresent(temporary)
            throw SnapshotFailure(
                description: "cannot write snapshot '\(name)': \(error)",
                isOutOfSpace: (error as? DiskFailure)?.isOutOfSpace ?? false)
        }
    }
}

/// Takes the lines of a snapshot. The first failure is kept and thrown at the end, so that items
/// can be given from where nothing may be thrown.
public final class SnapshotSink {
    private let file: any DiskFile
    private var writer = JSONWriter(capacity: 1 << 18)
    private var digest = SHA256()
    private var lines: UInt64 = 0
    private var offset = 0
    private var failure: DiskFailure?
    private var unsyncedBytes = 0

    /// A large snapshot is synced on the way, so that commits never queue behind all of it.
    private static let syncEveryBytes = 8 << 20

    init(file: any DiskFile) {
        self.file = file
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - word: Its type; needs no escapes.
    ///   - payload: Appends one JSON object whose names are sorted.
    public func item(_ word: StaticString, payload: (inout JSONWriter) -> Void) {
        line { writer in
            writer.raw("{\"t\":\"")
            writer.raw(word)
            writer.raw("\",\"d\":")
            payload(&writer)
            writer.raw("}")
        }
    }

    func line(_ body: (inout JSONWriter) -> Void) {
        guard failure == nil else { return }
        body(&writer)
        writer.raw("\n")
        lines += 1
        if writer.bytes.count >= 1 << 17 { flush() }
    }

    /// Writes the last line and syncs; returns the length of the file in bytes.
    func finish() throws(DiskFailure) -> Int {
        flush()
        if let failure { throw failure }
        SnapshotTrailer(lines: lines, digest: digest.hex).encode(into: &writer)
        writer.raw("\n")
        flush()
        if let failure { throw failure }
        try file.sync()
        return offset
    }

    private func flush() {
        digest.update(writer.bytes)
        do {
            try file.writeAll(writer.bytes, at: offset)
            offset += writer.bytes.count
            unsyncedBytes += writer.bytes.count
            if unsyncedBytes >= Self.syncEveryBytes {
                try file.sync()
                unsyncedBytes = 0
            }
        } catch {
            failure = error
        }
        writer.removeAll()
    }
}

/// A snapshot that was written, read back and named.
public struct SnapshotReceipt: Sendable, Hashable {
    /// The sequence number after which it is true.
    public let sequence: SequenceNumber
    /// The name of the file.
    public let name: String
    /// Its length.
    public let bytes: Int
    /// The number of items in it.
    public let items: Int
}

/// A snapshot could not be written. The journal is as good as before.
public struct SnapshotFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people.
    public let description: String
    /// Whether there was no room for it.
    public let isOutOfSpace: Bool
}
