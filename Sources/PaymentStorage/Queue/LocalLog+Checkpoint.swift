public import PaymentCore

/// A checkpoint that is on stable storage.
public struct Checkpoint: Sendable {
    /// The receipt for ``SegmentedLog/snapshotWasWritten(_:)``.
    public let receipt: SnapshotReceipt
    /// All closed things up to the checkpoint.
    public let history: Archives
    /// The closed things that the history has from now on, and that the queue can remove.
    public let moved: [ClosedKey]
}

extension LocalLog {
    /// Writes a checkpoint: closed things to archive files, what is open to a snapshot. May run on any
    /// thread, while the journal is written.
    ///
    /// The snapshot names the archive files. Until it has its name, a crash leaves the earlier
    /// checkpoint.
    ///
    /// - Parameters:
    ///   - ticket: The ticket from `log.beginSnapshot()`.
    ///   - queue: The queue at the time of the ticket. The closed things in it are in no file yet.
    ///   - store: The state of the embedded store at the time of the ticket.
    ///   - history: The history so far.
    ///   - builder: The builder of the journal.
    /// - Returns: The checkpoint.
    /// - Throws: The checkpoint was not written. The journal and the history are not affected.
    public static func writeCheckpoint(
        _ ticket: SnapshotTicket, of queue: PaymentQueue,
        store: any StoreImage = NoStoreImage(), after history: Archives,
        by builder: ArchiveBuilder
    ) throws(SnapshotFailure) -> Checkpoint {
        var moved: [ClosedKey] = []
        let next: Archives
        do throws(ArchiveFailure) {
            var manifest = try builder.append(
                to: history.manifest, upTo: ticket.sequence, now: ticket.header.created
            ) { sink throws(ArchiveFailure) in
                moved.removeAll()
                try queue.closings { entry, time throws(ArchiveFailure) in
                    try sink.add(
                        entry.fact, entry.sequence, at: time ?? ticket.header.created,
                        for: entry.user)
                    moved.append(entry.fact.name)
                }
            }
            do throws(ArchiveFailure) {
                manifest = try builder.drop(from: manifest) { queue.isForgotten($0, closedBy: $1) }
            } catch  where error.isOutOfSpace {
                // Forgotten files stay until there is room for the ledger of their orders.
            }
            next = try builder.index(try builder.open(manifest, reusing: history))
        } catch {
            throw SnapshotFailure(
                description: "cannot write archive: \(error)", isOutOfSpace: error.isOutOfSpace)
        }
        var ticket = ticket
        ticket.header.history = HistoryFiles(id: builder.store, manifest: next.manifest)
        let receipt = try writeSnapshot(ticket, store: store) {
            queue.snapshotItems(withClosed: false, $0)
        }
        return Checkpoint(receipt: receipt, history: next, moved: moved)
    }

    /// Removes archive files and indexes that no snapshot needs any more. May run on any thread; not
    /// while a checkpoint or a backup is written.
    ///
    /// - Throws: A snapshot cannot be read, or a file cannot be removed. The next call tries again.
    public static func removeOldArchives(
        _ history: Archives, by builder: ArchiveBuilder
    ) throws(ArchiveFailure) {
        var manifests = [history.manifest]
        for last in try onDisk(try Inventory(builder.disk)).snapshots {
            let name = FileName.snapshot(last: last)
            if let files = try historyFiles(of: name, on: builder.disk) {
                manifests.append(files.manifest)
            }
        }
        try builder.removeUnnamed(keeping: manifests, history)
    }

    /// The files that a snapshot names; nil if it names none, or was removed meanwhile.
    private static func historyFiles(
        of name: String, on disk: any Disk
    ) throws(ArchiveFailure) -> HistoryFiles? {
        do {
            return try SnapshotHeader(of: name, on: disk).history
        } catch let failure as DiskFailure where failure.isNotFound {
            return nil
        } catch let failure as DiskFailure {
            throw .disk(failure)
        } catch {
            throw .damaged(file: name, offset: 0, reason: "\(error)")
        }
    }
}

extension ArchiveFailure {
    /// Whether the cause is a lack of space.
    var isOutOfSpace: Bool {
        if case .disk(let failure) = self { failure.isOutOfSpace } else { false }
    }
}
