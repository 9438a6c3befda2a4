public import PaymentCore

/// Takes closed things in the order of closing and writes them to archive files of limited length.
public final class ArchiveSink {
    private let kind: ArchiveFile.Kind
    private let builder: ArchiveBuilder
    private var writer: ArchiveFileWriter?
    private var finished: [ArchiveFile] = []
    /// The first sequence number of the next file.
    private var first: SequenceNumber
    /// The files whose lines come first in the first file.
    private var earlier: [ArchiveFile]
    /// Whether nothing was added.
    private(set) var isEmpty = true

    init(
        _ kind: ArchiveFile.Kind, _ builder: ArchiveBuilder, after earlier: [ArchiveFile],
        from first: SequenceNumber
    ) {
        self.kind = kind
        self.builder = builder
        self.earlier = earlier
        self.first = earlier.first?.first ?? first
    }

    /// Adds a closed thing.
    ///
    /// - Parameters:
    ///   - fact: The closed thing.
    ///   - sequence: The record that closed it; not less than that of the thing before.
    ///   - time: The time of that record.
    ///   - user: The user that is charged for it; nil for no user.
    /// - Throws: The disk failed. The files so far do not count.
    public func add(
        _ fact: ClosedFact, _ sequence: SequenceNumber, at time: Timestamp, for user: UInt32? = nil
    ) throws(ArchiveFailure) {
        if let writer, writer.bytes >= builder.limits.fileBytes, sequence > writer.last {
            finished.append(try onDisk(try writer.finish(last: sequence - 1)))
            self.writer = nil
            first = sequence
        }
        let writer = try open()
        try onDisk(try writer.add(fact, sequence, at: time, for: user))
        isEmpty = false
    }

    /// Ends the last file.
    ///
    /// - Returns: The files; the directory must be synced before they count.
    func finish(last: SequenceNumber) throws(ArchiveFailure) -> [ArchiveFile] {
        let writer = try open()
        return finished + [try onDisk(try writer.finish(last: last))]
    }

    /// Removes an unfinished file, whose name depends on the first of the files before it.
    func discard() { writer?.discard() }

    private func open() throws(ArchiveFailure) -> ArchiveFileWriter {
        if let writer { return writer }
        let made = try onDisk(
            try ArchiveFileWriter(
                kind, from: first, of: builder.store, on: builder.disk, sync: builder.sync))
        writer = made
        for file in earlier { try made.copy(file) }
        earlier = []
        return made
    }
}
