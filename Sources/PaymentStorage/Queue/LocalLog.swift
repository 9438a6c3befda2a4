public import PaymentCore

/// The journal of the payment queue.
public final class LocalLog: RecordLog {
    /// The underlying log, for space, snapshots and closing.
    public let log: SegmentedLog
    /// Writes the files of closed things.
    public let archiveBuilder: ArchiveBuilder
    /// The closed things that were moved out of the queue before the journal was opened.
    public let openedHistory: Archives
    /// The directory of a separate journal of the embedded store, until it is merged.
    var separate: StateDirectory?
    private var decoder: EventDecoder
    private let products: ArchiveProducts

    private init(
        _ log: SegmentedLog, _ decoder: EventDecoder, _ products: ArchiveProducts,
        separate: StateDirectory?
    ) throws(ArchiveFailure) {
        self.log = log
        self.separate = separate
        self.decoder = decoder
        self.products = products
        let files =
            log.newestSnapshot?.history
            ?? HistoryFiles(id: log.format.store, manifest: ArchiveManifest())
        archiveBuilder = ArchiveBuilder(
            on: log.budgeted(for: .checkpoint), of: files.id, products: products,
            limits: log.settings.policy.archives, sync: log.settings.environment.backgroundSync)
        openedHistory = try archiveBuilder.open(files.manifest)
    }

    /// Whether the newest snapshot was written by a program that kept closed things in memory.
    public var hasOldSnapshot: Bool {
        log.newestSnapshot.map { $0.history == nil } ?? false
    }

    /// Reads the journal of a directory and passes its content to `replay`. Changes nothing in the
    /// directory.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - settings: Sizes, clocks, and the name of this program.
    ///   - replay: Receives the items of the newest good snapshot and every event after it. An embedded
    ///     store that has a journal of its own follows, unless the directory is only read.
    ///   - quickly: Whether waiting transactions are read by ``PlainDecoder`` and passed on in batches, on a
    ///     thread of their own. The snapshot is verified meanwhile. A refusal is then not final. The caller
    ///     must read again with another receiver and without this option; that reading decides and names the
    ///     line.
    ///   - progress: Called with the progress, about once per MiB.
    /// - Returns: What to open the journal from.
    /// - Throws: `.refused` if the files cannot be trusted; `.failed` if the disk failed.
    public static func read(
        in directory: StateDirectory, settings: LogSettings, _ replay: any LogReplay,
        quickly: Bool = false, progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws(StorageError) -> Reading {
        let visitor = QueueVisitor(replay, quickly: quickly, hear: progress)
        let read = Result<Recovery.Reading, StorageError> { () throws(StorageError) in
            try Recovery.read(directory, settings: settings, visitor: visitor, quickly: quickly)
        }
        do throws(PayloadFault) {
            // Called also after a refusal, so that the thread ends.
            try visitor.end()
        } catch {
            throw .failed(JournalFailure(error.description))
        }
        let reading = try read.get()
        let separate =
            try reading.mergesSeparateStore()
            ? readSeparateStore(in: directory, settings: settings, replay, progress) : nil
        return Reading(
            reading: reading, decoder: visitor.decoder, products: visitor.products,
            directory: directory, separate: separate, settings: settings)
    }

    /// Reads the separate journal of the embedded store.
    private static func readSeparateStore(
        in directory: StateDirectory, settings: LogSettings, _ replay: any LogReplay,
        _ progress: @escaping (RecoveryProgress) -> Void
    ) throws(StorageError) -> StateDirectory {
        let separate = try directory.subdirectory(SeparateStore.directory)
        do throws(StorageError) {
            _ = try Recovery.read(
                separate, settings: settings,
                visitor: SeparateStoreVisitor(replay, hear: progress))
        } catch {
            guard case .refused(var refusal) = error else { throw error }
            // The prefix distinguishes the file from those of the queue, which have the same names.
            refusal.file = "\(SeparateStore.directory)/\(refusal.file)"
            throw .refused(refusal)
        }
        return separate
    }

    /// A receiver that decodes what a judge reads, for `replay`.
    ///
    /// - Parameters:
    ///   - replay: Receives the content.
    ///   - quickly: Whether waiting transactions are read by
    ///     ``PlainDecoder`` and passed on in batches, on a thread of their own. `end()` ends the thread.
    /// - Returns: The receiver.
    public static func visitor(
        _ replay: any LogReplay, quickly: Bool = false
    ) -> any RecoveryVisitor {
        QueueVisitor(replay, quickly: quickly, hear: { _ in })
    }

    /// A journal that was read and can be trusted; its directory is still unchanged.
    public struct Reading {
        fileprivate let reading: Recovery.Reading
        fileprivate let decoder: EventDecoder
        fileprivate let products: ArchiveProducts
        fileprivate let directory: StateDirectory
        fileprivate let separate: StateDirectory?
        fileprivate let settings: LogSettings

        /// Whether the embedded store has a journal of its own; see
        /// ``LocalLog/mergeSeparateStore(queue:store:progress:)``.
        public var hasSeparateStore: Bool { separate != nil }

        /// Repairs the end of the journal and opens it for appending. Called once.
        ///
        /// - Returns: The journal and the report of the recovery.
        /// - Throws: `.failed` if the disk failed meanwhile.
        public func open() throws(StorageError) -> (journal: LocalLog, report: RecoveryReport) {
            let (opened, report) = try reading.open()
            return (try journal(opened), report)
        }

        /// Opens the journal as a copy of one that another place commits. Called once, instead of ``open()``.
        ///
        /// - Parameter seed: The beginning of the copy in an empty directory.
        /// - Returns: The copy and the report of the recovery.
        /// - Throws: `.failed` as ``open()``; `.unsuitable` if the directory cannot become that copy.
        public func openCopy(
            from seed: StoreSeed?
        ) throws(StorageError) -> (copy: CopiedLog, report: RecoveryReport) {
            guard !hasSeparateStore else {
                throw .unsuitable("start once without a cluster, to merge the journal in 'sandbox'")
            }
            let (opened, report) = try reading.open(isCopy: true, from: seed)
            return (CopiedLog(try journal(opened)), report)
        }

        private func journal(_ opened: OpenedLog) throws(StorageError) -> LocalLog {
            let log = SegmentedLog(opened, directory: directory, settings: settings)
            do throws(ArchiveFailure) {
                return try LocalLog(log, decoder, products, separate: separate)
            } catch {
                throw .failed(JournalFailure(error.description))
            }
        }
    }

    /// Reads the journal of a directory and opens it; see ``read(in:settings:_:progress:)``.
    ///
    /// - Returns: The journal, ready for appending, and the report of the recovery.
    /// - Throws: `.refused` if the files cannot be trusted, with nothing written; `.failed` if
    ///   the disk failed.
    public static func open(
        in directory: StateDirectory, settings: LogSettings, _ replay: any LogReplay,
        progress: @escaping (RecoveryProgress) -> Void = { _ in }
    ) throws(StorageError) -> (journal: LocalLog, report: RecoveryReport) {
        try read(in: directory, settings: settings, replay, progress: progress).open()
    }

    /// The sequence number of the last event appended; 0 in a new journal.
    public var head: SequenceNumber { log.head }

    /// The oldest sequence number whose record can still be read.
    public var oldest: SequenceNumber { log.oldest }

    /// The epoch; it changes only when the log was lost or deliberately reset.
    public var epoch: String { log.format.epoch }

    /// Always 0, because the lock of the directory permits only one owner.
    public var term: UInt64 { 0 }

    /// Whether nothing can be appended, because the directory is only read.
    public var isReadOnly: Bool { log.isReadOnly }

    /// The room on the disk; see ``SegmentedLog/checkSpace(monotonicMilliseconds:beside:)``.
    public var room: Room { log.room }

    /// Whether there is room for new work. Extends the reserve for it if the disk is nearly full.
    public func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool {
        log.hasRoom(for: bytes, beside: claims)
    }

    /// Adds a record to the current batch. It is proposed until ``submit(_:)`` reports the commit.
    public func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        if case .productRecorded(let product) = event {
            // A number that decoders refuse must not be written to a file.
            guard (try? decoder.note(product)) != nil, (try? products.note(product)) != nil else {
                preconditionFailure("a recorded product has a number beyond the journal's limit")
            }
        }
        return log.append(EventCoding.word(event), time: time, origin: origin) { writer in
            EventCoding.encode(event, into: &writer)
        }
    }

    /// Adds a record of the embedded store to the current batch.
    public func append(_ record: StoreRecord, time: Timestamp) {
        log.append(record, time: time)
    }

    /// Writes and syncs the current batch. The result is known on return.
    public func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        do throws(JournalFailure) {
            try log.commit()
            return .committed
        } catch {
            return .failed(error)
        }
    }

    /// Syncs without new records, to check that the disk answers.
    public func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        do throws(JournalFailure) {
            try log.sync()
            return .committed
        } catch {
            return .failed(error)
        }
    }

    /// Reads a page of durable records after a position, in order.
    public func page(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> RecordPage {
        var records: [Record] = []
        let end = try log.read(after: position, count: count) { line throws(PayloadFault) in
            if let record = try decoder.record(line) {
                records.append(record)
            } else if !line.isOptional {
                throw PayloadFault("the type '\(line.content.word)' is not known")
            }
        }
        return RecordPage(records: records, position: end)
    }

    /// Decodes a line of another copy and passes it on.
    func replay(_ line: JournalLine, into replay: any LogReplay) throws {
        if let record = line.content.storeRecord { return try replay.replay(store: record) }
        if let record = try decoder.record(line) {
            if case .productRecorded(let product) = record.event { try products.note(product) }
            try replay.replay(record)
        } else if !line.isOptional {
            throw PayloadFault("the type '\(line.content.word)' is not known")
        }
    }

    /// Appends and writes a mark after the last batch, unless nothing follows the last mark.
    public func markIdle() throws(JournalFailure) {
        try log.markIdle()
    }

    /// Closes the journal so that the next start needs no recovery.
    public func close() throws(JournalFailure) {
        try log.close()
    }

    /// Writes a snapshot of everything. May run on any thread, while the journal is written.
    ///
    /// - Parameters:
    ///   - ticket: The ticket from `log.beginSnapshot()`.
    ///   - store: The state of the embedded store at that time.
    ///   - progress: Called every ten thousand items that were written or read back.
    ///   - items: Passes on the items of the state at the time of the ticket.
    /// - Returns: The receipt for `log.snapshotWasWritten(_:)`.
    /// - Throws: The snapshot was not written. The journal is not affected.
    public static func writeSnapshot(
        _ ticket: SnapshotTicket, store: any StoreImage = NoStoreImage(),
        progress: @escaping () -> Void = {}, items: (_ body: (SnapshotItem) -> Void) -> Void
    ) throws(SnapshotFailure) -> SnapshotReceipt {
        var itemCheck = SnapshotItemCheck()
        var (count, storeBytes) = (0, 0)
        func step() {
            count += 1
            if count.isMultiple(of: 10_000) { progress() }
        }
        var receipt = try ticket.write(
            check: { content in
                step()
                if let item = content.storeRecord {
                    storeBytes += content.range.count + 1
                    return try store.check(item)
                }
                try itemCheck.check(content)
            },
            items: { sink in
                items {
                    step()
                    sink.add($0)
                }
                store.items {
                    step()
                    sink.add($0)
                }
            })
        receipt.storeBytes = storeBytes
        return receipt
    }
}

/// Decodes the lines that recovery reads, for the replay of the queue's log.
private final class QueueVisitor: RecoveryVisitor {
    var decoder = EventDecoder()
    /// The products, for the files of closed things.
    let products = ArchiveProducts()
    private let replay: any LogReplay
    private let hear: (RecoveryProgress) -> Void
    /// Reads the lines in the plain layout; nil if ``decoder`` reads every line.
    private var batches: PlainBatches?

    init(
        _ replay: any LogReplay, quickly: Bool = false, hear: @escaping (RecoveryProgress) -> Void
    ) {
        self.replay = replay
        self.hear = hear
        batches = quickly ? PlainBatches(replay) : nil
    }

    /// Applies what was read last. Called once, at the end.
    func end() throws(PayloadFault) {
        try batches?.end()
    }

    func snapshotLine(_ content: LineContent) throws -> Bool {
        if try batches?.take(content) == true { return true }
        if let item = content.storeRecord {
            try replay.load(store: item)
            return true
        }
        guard let item = try decoder.item(content) else { return false }
        if case .product(let product) = item { try note(product) }
        try replay.load(item)
        return true
    }

    func snapshotIsComplete(lastEvent: SequenceNumber) throws {
        try batches?.flush()
        try replay.didLoad(upTo: lastEvent)
    }

    func event(_ line: JournalLine) throws -> Bool {
        if try batches?.take(line) == true { return true }
        if let record = line.content.storeRecord {
            try replay.replay(store: record)
            return true
        }
        guard let record = try decoder.record(line) else { return false }
        if case .productRecorded(let product) = record.event { try note(product) }
        try replay.replay(record)
        return true
    }

    private func note(_ product: RecordedProduct) throws(PayloadFault) {
        try products.note(product)
        batches?.note(product)
    }

    func progress(_ progress: RecoveryProgress) {
        hear(progress)
    }
}
