import Logging
import PaymentCore

/// The facts of the store that decisions depend on.
struct StoreFacts {
    var catalogues: Catalogues
    var session = SessionFacts()
    /// The time that a payment question may stay open, in milliseconds.
    var paymentPatienceMs: Int64
}

/// The records of the queue outside of memory.
private struct QueueRecords {
    /// The log of all events.
    let journal: any RecordLog
    /// The closed things that memory does not have any more.
    var history: any ClosedHistory
}

/// The one writer of the queue: decides, appends to the log and applies.
///
/// The state in memory is ahead of the log: by the running batch, and, if the log answers later, by
/// the batch in flight. That is safe, because neither is visible outside before its commit, and
/// because a failed commit ends the process.
///
/// Proof: every entry point of the engine runs on `loop`, which `preconditionOnLoop` checks; no state
/// is touched anywhere else. The class is Sendable only so that answers of the store can name it.
final class QueueWriter: @unchecked Sendable {
    /// Whether records may still be appended to the log.
    enum State {
        case running
        /// The engine was stopped cleanly.
        case stopped
        /// The log cannot be relied on any more.
        case failed
    }

    /// The state of the queue, the running batch included.
    var queue: PaymentQueue
    /// The events of the decision that is being made; empty between decisions.
    var events: [Event] = []
    /// The batches on their way to the log.
    var pipeline = TurnPipeline()
    /// How often the session has changed in this process.
    private(set) var sessionChanges = 0
    /// The facts that decisions depend on.
    var facts: StoreFacts { didSet { stableContext = nil } }
    /// The last record that is committed.
    var durableHead: SequenceNumber
    private(set) var state = State.running
    /// Ends the turns that are scheduled here.
    weak var turn: Turn?
    /// Follows the questions that are recorded here.
    weak var clocks: QuestionClocks?

    private var records: QueueRecords
    let loop: any EngineLoop
    let sources: EngineSources
    let logger: Logger
    private let onFailure: @Sendable (JournalFailure) -> Void
    /// The parts of a context that are the same for most decisions; made again when the facts change.
    private var stableContext: DecisionContext?

    /// Takes over a queue that was replayed from its log; see ``PaymentEngine``.
    init(
        queue: PaymentQueue, journal: any RecordLog, history: any ClosedHistory,
        loop: any EngineLoop, sources: EngineSources, facts: StoreFacts, logger: Logger,
        onFailure: @escaping @Sendable (JournalFailure) -> Void
    ) {
        self.queue = queue
        records = QueueRecords(journal: journal, history: history)
        self.loop = loop
        self.sources = sources
        self.facts = facts
        self.logger = logger
        self.onFailure = onFailure
        durableHead = journal.head
        self.queue.charge(archived: history.bytesByUser)
        // The log must keep free the space that the replayed work claims.
        _ = journal.hasRoom(for: 0, beside: queue.spaceClaims)
    }

    /// Whether the engine has neither failed nor stopped.
    var isRunning: Bool { state == .running }

    /// Whether nothing may be recorded, because the log is read-only or another node owns it.
    var isReadOnly: Bool { journal.isReadOnly }

    /// Whether facts of the store may be recorded now.
    var mayRecord: Bool { isRunning && !isReadOnly }

    /// The reason why nothing may be recorded.
    var refusalOfChanges: EngineRefusal { journal.isFollowing ? .noOwner : .readOnly }

    /// The log.
    var journal: any RecordLog { records.journal }

    /// The closed things that memory does not have any more. A later history contains more of them.
    var history: any ClosedHistory {
        get { records.history }
        set {
            records.history = newValue
            queue.charge(archived: newValue.bytesByUser)
        }
    }

    /// The time of day.
    var time: Timestamp { sources.wallClock() }

    /// The country that products are shown in now.
    var currentCountry: CountryCode? {
        queue.session?.country ?? queue.assumedCountry ?? facts.catalogues.defaultCountry
    }

    /// Reads from the queue without copying it. A method call on the property itself would copy the
    /// whole value and count all its references. The reason is that the compiler cannot exclude a
    /// change of the queue during the call.
    ///
    /// - Parameter question: Must not use the writer's queue, because the exclusivity check would
    ///   trap.
    /// - Returns: The result of the question.
    /// - Throws: The error of the question.
    @inline(__always)
    func ask<Answer, Failure>(
        _ question: (inout PaymentQueue) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        try question(&queue)
    }

    /// The context of a decision that is made now.
    ///
    /// - Parameters:
    ///   - origin: The client that made the request.
    ///   - closed: The closed things that the decision depends on.
    /// - Returns: The context, with the time of day of this call.
    func context(
        _ origin: Origin?, closed: ClosedFacts = ClosedFacts()
    ) -> DecisionContext {
        var context = stableContext ?? makeStableContext()
        context.now = sources.wallClock()
        context.origin = origin
        context.closed = closed
        return context
    }

    /// Looks up closed things for a client. This may read the disk: it runs in the slice of the client's
    /// connection, so that users who look up much wait for their next slice.
    ///
    /// - Throws: `.historyUnknown`.
    func closed(_ keys: [ClosedKey]) throws(EngineRefusal) -> ClosedFacts {
        do throws(ClosedHistoryFailure) {
            return try find(keys)
        } catch {
            throw .unknownHistory(error, of: self)
        }
    }

    private func find(_ keys: [ClosedKey]) throws(ClosedHistoryFailure) -> ClosedFacts {
        guard !keys.isEmpty else { return ClosedFacts() }
        return try ask { queue throws(ClosedHistoryFailure) in
            try queue.closedFacts(keys, in: records.history)
        }
    }

    /// Looks up closed things for an answer of the store.
    ///
    /// - Throws: The failure as a temporary failure of the store; the caller asks the store again
    ///   later.
    func closedForStore(_ keys: [ClosedKey]) throws(StoreFailure) -> ClosedFacts {
        do throws(ClosedHistoryFailure) {
            return try find(keys)
        } catch {
            logger.warning(
                "closed transactions cannot be looked up; the store is asked again",
                metadata: ["reason": "\(error)"])
            throw StoreFailure(.serviceUnavailable, "\(error)")
        }
    }

    /// Makes a decision that cannot be refused, and records its events.
    @discardableResult
    func write<Answer>(
        origin: Origin? = nil, closed: ClosedFacts = ClosedFacts(),
        _ decide: (inout PaymentQueue, DecisionContext, inout [Event]) -> Answer
    ) -> Answer {
        let context = context(origin, closed: closed)
        let answer = decide(&queue, context, &events)
        recordEvents(origin: origin, time: context.now)
        return answer
    }

    /// Makes a decision for a client, and records its events.
    ///
    /// - Parameters:
    ///   - origin: The client.
    ///   - closed: The closed things that the decision depends on.
    ///   - mustFit: Whether the decision is refused when there is no room for its records beside
    ///     accepted work.
    ///   - own: As for ``recordEvents(origin:time:own:)``.
    ///   - decide: The decision.
    /// - Returns: The answer, and the record of it or the position as of which it is true.
    /// - Throws: The rules refuse it, or there is no room to record it.
    @inline(__always)
    func write<Answer>(
        for origin: Origin?, closed: ClosedFacts = ClosedFacts(), mustFit: Bool = true,
        own: Int? = nil,
        _ decide: (inout PaymentQueue, DecisionContext, inout [Event]) throws(Refusal) -> Answer
    ) throws(EngineRefusal) -> (answer: Answer, sequence: SequenceNumber) {
        let context = context(origin, closed: closed)
        let answer: Answer
        do throws(Refusal) {
            answer = try decide(&queue, context, &events)
        } catch {
            throw .refused(error)
        }
        if mustFit { try dropUnlessThereIsRoom(origin) } else { try dropIfReadOnly() }
        return (answer, recordEvents(origin: origin, time: context.now, own: own))
    }

    /// Records the events of one command in the running turn.
    ///
    /// - Parameters:
    ///   - origin: The caller, if it is a client.
    ///   - time: The time of the decision.
    ///   - own: The index of the event whose sequence number is returned; nil for the last event.
    /// - Returns: The sequence number of that event; without events, that of the last record.
    @discardableResult
    func recordEvents(origin: Origin?, time: Timestamp, own: Int? = nil) -> SequenceNumber {
        let first = pipeline.running.records.count
        for event in events {
            record(event, origin: origin, time: time)
        }
        let count = events.count
        events.removeAll(keepingCapacity: true)
        return count == 0
            ? queue.head : pipeline.running.records[first + (own ?? count - 1)].sequence
    }

    /// Appends one event to the log and applies it.
    func record(_ event: Event, origin: Origin?, time: Timestamp) {
        precondition(!isReadOnly, "an event was recorded in a log that is only read")
        let sequence = journal.append(event, time: time, origin: origin)
        let record = Record(sequence: sequence, time: time, origin: origin, event: event)
        do {
            try queue.apply(record)
        } catch {
            preconditionFailure("the rules decided an impossible step: \(error)")
        }
        switch event {
        case .questionOpened, .questionClosed: clocks?.recorded(event)
        case .sessionChanged: sessionChanges += 1
        default: break
        }
        pipeline.running.records.append(record)
        scheduleTurnEnd()
    }

    /// Applies a record that the log received from its owner, another node.
    ///
    /// - Throws: The rules refuse the record.
    func follow(_ record: Record) throws {
        precondition(isReadOnly, "a record of another owner was taken by the owner")
        try queue.apply(record)
        if case .sessionChanged = record.event {
            sessionChanges += 1
            pipeline.running.changesSession = true
        }
        pipeline.running.records.append(record)
        scheduleTurnEnd()
    }

    /// Appends a record of the embedded store to the log.
    func record(_ record: StoreRecord, time: Timestamp) {
        precondition(!isReadOnly, "a record of the store was made in a log that is only read")
        journal.append(record, time: time)
        pipeline.running.hasStoreRecords = true
        scheduleTurnEnd()
    }

    /// Drops the events of a command, and throws, unless there is room for them and for everything
    /// that their work will write.
    func dropUnlessThereIsRoom(_ origin: Origin?) throws(EngineRefusal) {
        try dropIfReadOnly()
        do throws(EngineRefusal) {
            try checkRoom(for: events, origin)
        } catch {
            events.removeAll(keepingCapacity: true)
            throw error
        }
    }

    /// Drops the events of a command, and throws, if the log is read-only.
    private func dropIfReadOnly() throws(EngineRefusal) {
        guard events.isEmpty || !isReadOnly else {
            events.removeAll(keepingCapacity: true)
            throw refusalOfChanges
        }
    }

    /// Checks whether there is room for events and for everything that their work will write.
    ///
    /// - Throws: `.outOfSpace`; `.refused` if the events begin new work and the user has reached its
    ///   share of the disk.
    func checkRoom(for events: [Event], _ origin: Origin?) throws(EngineRefusal) {
        let needed = ask { queue in queue.spaceNeeded(by: events, origin: origin) }
        guard needed > 0 else { return }
        guard journal.hasRoom(for: needed, beside: ask { queue in queue.spaceClaims }) else {
            throw .outOfSpace(journal.room)
        }
        if events.contains(where: { $0.beginsWork }) {
            try requireDiskShare(of: origin?.uid, for: needed)
        }
    }

    private func requireDiskShare(of user: UInt32?, for bytes: Int) throws(EngineRefusal) {
        let available = journal.room.availableBytes
        do throws(Refusal) {
            try ask { queue throws(Refusal) in
                try queue.requireDiskShare(of: user, for: bytes, available: available)
            }
        } catch {
            throw .refused(error)
        }
    }

    /// Whether there is room for a transaction or a name of the greatest usual length.
    var mayAdd: Bool {
        journal.hasRoom(for: Self.usualWorkBytes, beside: ask { queue in queue.spaceClaims })
    }

    /// Checks whether a user may add a transaction of the greatest usual length.
    ///
    /// - Throws: `.outOfSpace`; `.refused` if the user has reached its share of the disk.
    func checkRoomForWork(of user: UInt32) throws(EngineRefusal) {
        guard mayAdd else { throw .outOfSpace(journal.room) }
        try requireDiskShare(of: user, for: Self.usualWorkBytes)
    }

    /// Makes a decision about the store's answer to accepted work, and records its events. It records
    /// nothing if they need more room than was claimed and there is none.
    ///
    /// - Returns: False if nothing was recorded; the caller asks the store again later.
    func writeIfRoom(
        closed: ClosedFacts,
        _ decide: (inout PaymentQueue, DecisionContext, inout [Event]) -> Void
    ) -> Bool {
        let context = context(nil, closed: closed)
        decide(&queue, context, &events)
        guard (try? dropUnlessThereIsRoom(nil)) != nil else { return false }
        recordEvents(origin: nil, time: context.now)
        return true
    }

    /// An upper bound of the bytes that one purchase with texts of usual length writes in its life.
    private static let usualWorkBytes = 16 << 10

    /// Makes sure that a turn ends after everything that is ready now has been read.
    func scheduleTurnEnd() {
        guard isRunning, pipeline.schedule(), let turn else { return }
        loop.execute { turn.end() }
    }

    /// Makes sure that another turn ends after the sockets were polled once more.
    func scheduleTurnEndAfterInput() {
        loop.executeAfterInput { [self] in scheduleTurnEnd() }
    }

    /// Stops recording.
    func stop() {
        if isRunning { state = .stopped }
    }

    /// Whether this process is still the owner of the log. If it is not, the engine stops for good.
    func mayAct() -> Bool {
        if journal.holdsTerm { return true }
        fail(JournalFailure("the lease of the log's owner has ended"))
        return false
    }

    /// Stops for good because a log cannot be relied on any more; reports that once.
    func fail(_ failure: JournalFailure) {
        guard state != .failed else { return }
        state = .failed
        logger.critical("storage failed; stopping", metadata: ["reason": "\(failure)"])
        onFailure(failure)
    }

    private func makeStableContext() -> DecisionContext {
        let catalogues = facts.catalogues
        let sources = sources
        // Nearly every payment is made in the current country.
        let nearest = catalogues[currentCountry]
        var context = DecisionContext(
            now: sources.wallClock(),
            catalogue: { $0 == nearest?.country ? nearest : catalogues[$0] },
            defaultCountry: catalogues.defaultCountry,
            makeID: {
                let bits = sources.randomBits()
                return UniqueID(randomHigh: bits.high, randomLow: bits.low)
            },
            paymentsAllowed: facts.session.paymentsAllowed)
        context.introduced = facts.session.introduced
        context.paymentPatienceMs = facts.paymentPatienceMs
        stableContext = context
        return context
    }
}
