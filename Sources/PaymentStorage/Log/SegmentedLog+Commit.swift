public import PaymentCore
internal import StrictJSON

extension SegmentedLog {
    /// Writes the running batch and returns when it is on stable storage. Does nothing if the
    /// batch is empty.
    ///
    /// One write and one `fdatasync`. A full disk costs the reserve first; see
    /// ``isShortOfSpace``.
    ///
    /// - Throws: The journal is unusable from then on, and says the same again at every call.
    public func commit() throws(JournalFailure) {
        if let failure { throw failure }
        guard !writer.isEmpty else { return }
        try writeBatch()
        try sync()
        batchIsDurable()
        needsMark = head > durableHead || needsMark
        durableHead = head
        try prefillAhead()
    }

    /// Syncs the active segment, whether or not anything of it is new.
    ///
    /// - Throws: The journal is unusable from then on, and says the same again at every call.
    public func sync() throws(JournalFailure) {
        if let failure { throw failure }
        do {
            try active.file.syncData()
        } catch {
            throw poison(error)
        }
    }

    /// Appends a mark of its own after the last batch, unless nothing was added since the last.
    ///
    /// The mark is of no use to anybody but the next start: damage to the line before it cannot
    /// be taken for a torn write any more, because a batch after it was begun.
    public func markIdle() throws(JournalFailure) {
        try commit()
        guard needsMark else { return }
        needsMark = false
        _ = writer.line("mark", time: environment.now(), origin: nil) { $0.raw("{}") }
        try commit()
    }

    /// Ends the journal: commits, marks, and leaves word that nothing needs to be recovered.
    ///
    /// The directory stays owned until it is let go. Calling it again does nothing.
    public func close() throws(JournalFailure) {
        guard !isClosed else { return }
        try markIdle()
        isClosed = true
        do {
            try active.file.truncate(to: active.end)
            if spares.take() != nil { try directory.disk.remove(FileName.spare) }
            try directory.recordCleanStop(
                LockFile.CleanStop(sequence: writer.next - 1, checksum: writer.chain))
        } catch {
            throw JournalFailure(error)
        }
    }

    /// Ends the journal's life: from now on nothing is written or synced.
    func poison(_ cause: DiskFailure) -> JournalFailure {
        let reason = JournalFailure(
            "cannot \(cause.operation.rawValue) journal '\(cause.name)': \(cause.reason)",
            errno: cause.errno, isOutOfSpace: cause.isOutOfSpace)
        failure = reason
        return reason
    }

    /// Writes the running batch at the end of the active segment.
    func writeBatch() throws(JournalFailure) {
        let bytes = writer.bytes
        var done = 0
        var mayFreeRoom = true
        while done < bytes.count {
            do {
                let rest = bytes.span.extracting(droppingFirst: done)
                done += try active.file.write(rest, at: active.end + done)
            } catch  where error.isInterrupted {
                continue
            } catch  where error.isOutOfSpace && mayFreeRoom && space.giveUpReserve() {
                mayFreeRoom = false
            } catch {
                throw poison(error)
            }
        }
    }

    /// Takes note that the running batch was synced.
    func batchIsDurable() {
        for entry in pendingEntries {
            var entry = entry
            entry.offset += active.end
            segments[segments.count - 1].index.offer(entry)
        }
        pendingEntries.removeAll(keepingCapacity: true)
        active.digest.update(writer.bytes, background: environment.background)
        active.end += writer.bytes.count
        active.lines += writer.next - writer.batch
        segments[segments.count - 1].bytes = active.end
        writer.beginBatch()
    }
}
