public import PaymentCore
public import PaymentStorage

/// The log of a queue in etcd, with a copy in the files of this node.
///
/// A node follows at first: it copies what the owner has committed, and cannot append. As the owner it appends.
/// A batch is committed when a majority of etcd's members has it on stable storage. The files get the same
/// bytes afterwards, and readers get only what is in the files.
///
/// The files are synced from time to time. Lines that the files lose in a crash are read from etcd again. etcd
/// keeps the lines after the end that ``sync()`` last returned.
///
/// All calls are on the engine's loop.
public final class EtcdLog: RecordLog {
    /// The copy in the files.
    public let copy: CopiedLog
    private let journal: LocalLog
    /// Receives the records of the owner while another node is the owner.
    public weak var follower: (any LogReplay)?
    /// Called with the chunk that ends a segment, when the state of the queue is that of the chunk's end. The
    /// chunk may not be committed yet. The returned closure is called when the chunk is committed and in the
    /// files.
    public var segmentEnds: ((LogChunk) -> (() -> Void)?)?
    /// Whether the segment ends with the next batch of this node, so that a snapshot can be taken.
    public var endsSegment = false
    /// Whether the owner has to end its segment, which takes no records.
    public var wantsCommit: Bool { endsSegment && !isFollowing }
    /// Whether a batch was sent to etcd and has no outcome yet.
    public private(set) var isInFlight = false
    private var owning: Owning?
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// The parts that only an owner has.
    private struct Owning {
        let ownership: Ownership
        let appender: LogAppender
    }

    /// Begins as a follower.
    ///
    /// - Parameters:
    ///   - copy: A journal that was opened as a copy.
    ///   - execute: Runs work on the engine's loop, never inside the caller.
    public init(
        copy: CopiedLog, execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.copy = copy
        journal = copy.journal
        self.execute = execute
    }

    /// The last event appended; 0 in a new log.
    public var head: SequenceNumber { journal.head }

    /// The oldest event that can still be read on this node.
    public var oldest: SequenceNumber { journal.oldest }

    /// The epoch.
    public var epoch: String { journal.epoch }

    /// The end of the copy.
    public var end: LogEnd {
        LogEnd(next: copy.end.next, chain: copy.end.chain)
    }

    /// The term of this node as the owner; 0 while it follows.
    public var term: UInt64 { owning?.ownership.term ?? 0 }

    /// Whether another node owns the log, or none does.
    public var isFollowing: Bool { owning == nil }

    /// A follower appends nothing.
    public var isReadOnly: Bool { isFollowing }

    /// Whether this node is certainly the owner. Orders are sent only then.
    public var holdsTerm: Bool { owning?.ownership.holds ?? false }

    /// The room on the disk of this node.
    public var room: Room { journal.room }

    /// Whether there is room for new work on the disk of this node.
    public func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool {
        journal.hasRoom(for: bytes, beside: claims)
    }

    // MARK: Following

    /// Syncs the copy to stable storage.
    ///
    /// - Returns: The end of the copy. For this node, etcd need not keep the lines before it.
    /// - Throws: The disk failed.
    public func sync() throws(JournalFailure) -> LogEnd {
        try copy.sync()
        return end
    }

    /// Takes lines that the owner has committed: verifies them, puts them into the files, and passes them on.
    ///
    /// - Throws: A ``ChunkFault`` if they do not continue the copy; a `JournalFailure` of the disk; or what the
    ///   receiver throws.
    public func follow(_ bytes: [UInt8]) throws {
        guard let follower else { preconditionFailure("a log without a follower was to follow") }
        let chunk = try copy.follow(bytes, into: follower)
        if let chunk, chunk.endsSegment { segmentEnds?(chunk)?() }
    }

    /// Makes this node the owner.
    func own(_ ownership: Ownership, _ appender: LogAppender) {
        precondition(owning == nil, "a node became the owner twice")
        owning = Owning(ownership: ownership, appender: appender)
    }

    // MARK: Appending

    /// Adds a record to the current batch.
    public func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        precondition(!isReadOnly, "a follower appended a record")
        return journal.append(event, time: time, origin: origin)
    }

    /// Adds a record of the embedded store to the current batch.
    public func append(_ record: StoreRecord, time: Timestamp) {
        precondition(!isReadOnly, "a follower appended a record")
        journal.append(record, time: time)
    }

    /// Sends the current batch to etcd. The next batch collects meanwhile. A follower has nothing to send: what
    /// it shows is committed.
    public func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        guard let owning, let chunk = copy.seal(endsSegment: endsSegment) else {
            return .committed
        }
        endsSegment = false
        isInFlight = true
        let ended = chunk.endsSegment ? segmentEnds?(chunk) : nil
        let waiting = Waiting { [self] result in
            done(committed(chunk, result))
            if result == .committed { ended?() }
        }
        Task(executorPreference: owning.ownership.lease.time.executor) { [execute] in
            let result = await owning.appender.append(chunk)
            execute { waiting.done(result) }
        }
        return nil
    }

    /// The completion of a batch. Proof: another thread only passes it on; it is called on the loop.
    private struct Waiting: @unchecked Sendable {
        let done: (CommitResult) -> Void
    }

    /// Puts what is committed into the files.
    private func committed(_ chunk: LogChunk, _ result: CommitResult) -> CommitResult {
        isInFlight = false
        guard result == .committed else { return result }
        do throws(JournalFailure) {
            try copy.write(chunk)
            return .committed
        } catch {
            return .failed(error)
        }
    }

    /// Checks that the disk of this node answers.
    public func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        journal.probe(done)
    }

    /// Reads a page of committed records from the files.
    public func page(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> RecordPage {
        try journal.page(after: position, count: count)
    }

    /// Writes nothing: with a mark this copy would differ from the others.
    public func markIdle() {}
}
