public import PaymentCore

extension LocalLog {
    /// Merges the embedded store into this log, if the store still has a journal of its own. Called after the
    /// opening, before anything is appended.
    ///
    /// A snapshot gets the state of both. The format file, replaced in one step, then says that the store is in
    /// the log from that snapshot on. If a start is interrupted before that step, the next one begins again.
    /// After that step, a start moves the remaining files of the separate journal away.
    ///
    /// - Parameters:
    ///   - queue: The queue that was replayed.
    ///   - store: The state of the store that was replayed.
    ///   - progress: Called every ten thousand items.
    /// - Returns: The reason why files of the separate journal are still there; nil if there are none.
    /// - Throws: `.unsuitable` if there is no room for a snapshot of both; `.failed` if the disk failed. The
    ///   next start does the same.
    public func mergeSeparateStore(
        queue: PaymentQueue, store: any StoreImage, progress: @escaping () -> Void = {}
    ) throws(StorageError) -> String? {
        guard separate != nil else { return nil }
        // The call extends the reserve, so that accepted work keeps its space.
        _ = hasRoom(for: 0, beside: queue.spaceClaims)
        do {
            guard var ticket = try log.beginSnapshot() else { throw StorageError.noRoomToMerge }
            ticket.header.history = log.newestSnapshot?.history
            // Nothing commits during a start.
            ticket.sync = StorageEnvironment.syncAtOnce
            let receipt = try Self.writeSnapshot(ticket, store: store, progress: progress) {
                queue.snapshotItems(withClosed: true, $0)
            }
            do throws(DiskFailure) {
                try log.storeIsInLog(since: receipt.sequence)
            } catch {
                // Until the format file names it, the snapshot is only a copy that takes space.
                let disk = log.directory.disk
                if let format = try? StoreFormat(reading: disk), format.storeSince == nil {
                    try? disk.remove(receipt.name)
                }
                throw error.isOutOfSpace ? .noRoomToMerge : StorageError(error)
            }
            separate = nil
            // Old files that cannot be removed now are removed after the next snapshot.
            try? log.snapshotWasWritten(receipt)?.perform()
            return SeparateStore.moveAway(log.format, on: log.directory.disk)
        } catch let failure as StorageError {
            throw failure
        } catch let failure as JournalFailure {
            throw failure.isOutOfSpace ? .noRoomToMerge : .failed(failure)
        } catch let failure as SnapshotFailure {
            throw failure.isOutOfSpace
                ? .noRoomToMerge : .failed(JournalFailure(failure.description))
        } catch let failure as DiskFailure {
            throw StorageError(failure)
        } catch {
            throw .failed(JournalFailure("cannot merge the journals of queue and store: \(error)"))
        }
    }
}

extension StorageError {
    /// A start cannot merge the journals, and makes none of the changes that need room.
    fileprivate static let noRoomToMerge = StorageError.unsuitable(
        "no space left to merge the journals of queue and store, which earlier versions kept apart; "
            + "free as much space as both take, then start again")
}

extension SegmentedLog {
    /// Writes to the format file that the records of the embedded store are in this log.
    ///
    /// - Parameter sequence: The snapshot that has all records up to it.
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
