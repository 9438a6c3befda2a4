public import PaymentCore

extension LocalLog {
    /// Takes the embedded store into this log, if it still had a journal of its own. Called after the
    /// opening, before anything is appended.
    ///
    /// A snapshot gets the state of both. The format file, written anew in one step, then says that the
    /// store is in the log from that snapshot on. Before that step a start begins again; after it a start
    /// moves the files of the separate journal away, if that was not done.
    ///
    /// - Parameters:
    ///   - queue: The queue that was replayed.
    ///   - store: The state of the store that was replayed.
    ///   - progress: Called every ten thousand items.
    /// - Throws: The disk failed; the next start does the same.
    public func mergeSeparateStore(
        queue: PaymentQueue, store: any StoreImage, progress: () -> Void = {}
    ) throws(StorageError) {
        guard separate != nil else { return }
        do {
            guard var ticket = try log.beginSnapshot() else {
                throw JournalFailure(
                    "cannot merge the journals of queue and store: no space left",
                    isOutOfSpace: true)
            }
            ticket.header.history = log.newestSnapshot?.history
            var count = 0
            let receipt = try Self.writeSnapshot(ticket, store: store) { body in
                queue.snapshotItems(withClosed: true) { item in
                    count += 1
                    if count.isMultiple(of: 10_000) { progress() }
                    body(item)
                }
            }
            try log.storeIsInLog(since: receipt.sequence)
            try SeparateStore.moveAway(on: log.directory.disk)
            separate = nil
            try log.snapshotWasWritten(receipt)?.perform()
        } catch let failure as JournalFailure {
            throw .failed(failure)
        } catch let failure as SnapshotFailure {
            throw .failed(
                JournalFailure(failure.description, isOutOfSpace: failure.isOutOfSpace))
        } catch let failure as DiskFailure {
            throw StorageError(failure)
        } catch {
            throw .failed(JournalFailure("cannot merge the journals of queue and store: \(error)"))
        }
    }
}

extension SegmentedLog {
    /// Says in the format file that the records of the embedded store are in this log.
    ///
    /// - Parameter sequence: The snapshot that has all of them up to it.
    /// - Throws: The file was not replaced, or it is not certain that it was.
    func storeIsInLog(since sequence: SequenceNumber) throws(DiskFailure) {
        var merged = format
        merged.parts = [:]
        merged.storeSince = sequence
        try directory.disk.replaceFile(FileName.format, with: merged.bytes)
        format = merged
        directory.use(parts: [:], storeSince: sequence)
        noteProgress()
    }
}
