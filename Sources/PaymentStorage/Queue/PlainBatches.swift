internal import PaymentCore

/// Reads the waiting transactions of a file with ``PlainDecoder`` and passes them on in batches.
struct PlainBatches {
    private let replay: any LogReplay
    private let thread: BatchThread?
    private var decoder = PlainDecoder()
    private var batch = SourcedBatch.none
    /// Whether the thread may have batches that are not applied yet.
    private var isBusy = false
    /// Whether the receiver has to complete batches.
    private var isUnfinished = false

    /// The minimum size of a batch for the thread. A smaller one is applied directly, because handing it over
    /// would take longer.
    private static let leastHandedOver = 64
    /// Most lines are longer than this number of bytes.
    private static let shortLine = 256

    init(_ replay: any LogReplay) {
        self.replay = replay
        thread = BatchThread(replay)
    }

    /// Stores a product, after ``EventDecoder`` has.
    mutating func note(_ product: RecordedProduct) {
        decoder.note(product)
    }

    /// Takes a line of a snapshot. False if ``EventDecoder`` must read it; everything before it is then
    /// applied.
    ///
    /// - Throws: A transaction before it may have to be refused.
    mutating func take(_ content: LineContent) throws(PayloadFault) -> Bool {
        try begin(.snapshot, content.bytes)
        if decoder.transaction(content, into: &batch.batch) { return true }
        try flush()
        return false
    }

    /// Takes a line of a journal. False if ``EventDecoder`` must read it; everything before it is then applied.
    ///
    /// - Throws: A transaction before it may have to be refused.
    mutating func take(_ line: JournalLine) throws(PayloadFault) -> Bool {
        try begin(.journal, line.content.bytes)
        if decoder.added(line, into: &batch.batch) { return true }
        try flush()
        return false
    }

    /// Applies everything, so that the receiver can take something else.
    ///
    /// - Throws: A transaction may have to be refused.
    mutating func flush() throws(PayloadFault) {
        try pass()
        try drain()
        guard isUnfinished else { return }
        isUnfinished = false
        guard replay.finishBatches() else { throw Self.doubt }
    }

    /// Flushes and ends the thread.
    mutating func end() throws(PayloadFault) {
        defer {
            // The thread ends only when it no longer uses the receiver.
            _ = thread?.drain()
            thread?.end()
        }
        try flush()
    }

    /// Begins a batch unless the last one is of the same lines and bytes.
    private mutating func begin(
        _ source: SourcedBatch.Source, _ bytes: [UInt8]
    ) throws(PayloadFault) {
        guard !batch.continues(source, bytes) else { return }
        try pass()
        batch = SourcedBatch(source: source, batch: PlainBatch(bytes: bytes))
        batch.batch.reserveCapacity(bytes.count / Self.shortLine)
    }

    private mutating func pass() throws(PayloadFault) {
        guard !batch.batch.transactions.isEmpty else { return }
        var batch = SourcedBatch.none
        swap(&batch, &self.batch)
        batch.batch.accounts = decoder.recent.accounts.texts
        batch.batch.clients = decoder.recent.clients.texts
        isUnfinished = true
        if let thread, batch.batch.transactions.count >= Self.leastHandedOver {
            thread.handOver(batch)
            isBusy = true
            return
        }
        try drain()
        guard batch.apply(to: replay) else { throw Self.doubt }
    }

    private mutating func drain() throws(PayloadFault) {
        guard isBusy, let thread else { return }
        isBusy = false
        guard thread.drain() else { throw Self.doubt }
    }

    private static var doubt: PayloadFault { PayloadFault("a transaction may contradict others") }
}
