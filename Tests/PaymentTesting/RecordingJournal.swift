public import PaymentCore

/// A journal in memory that tells what is durable from what is not, and fails as it is told.
///
/// A crash loses what was appended and not committed; ``durable`` is what a new process would
/// be replayed from. Sequence numbers may have holes, as those of the real journal do. A second journal
/// may take the records over, as a second process does with a log on another machine; the first is
/// fenced from then on.
public final class RecordingJournal: RecordLog {
    /// What becomes of a commit.
    public enum Ending: Sendable, Hashable {
        /// The batch is durable.
        case kept
        /// Nothing of the batch is, and the caller hears of it.
        case failed
        /// The first so many records are durable, and the caller hears of a failure: a torn write.
        case torn(Int)
        /// Nothing of the batch is, because another owner has taken the log over.
        case fenced
        /// The batch is durable and the answer is lost: the journal asks so many times before it knows.
        /// For journals that answer ``later``.
        case unknown(asks: Int)
    }

    /// A record of the embedded store and its place in the log.
    public struct StoreLine: Sendable, Hashable {
        /// The place.
        public var sequence: SequenceNumber
        /// The record.
        public var record: StoreRecord
    }

    /// What survives a crash, oldest first, from ``oldest`` on.
    public var durable: [Record] { medium.records }
    /// The records of the embedded store that survive a crash, oldest first. They are never trimmed.
    public var durableStore: [StoreLine] { medium.store }
    private var runningStore: [StoreLine] = []
    private var storeUnderWay: [StoreLine] = []
    /// The records of the embedded store that are not committed.
    public var storeBatch: [StoreLine] { storeUnderWay + runningStore }
    /// The records that are not committed: those of the batch under way, then of the running one.
    public var batch: [Record] { underWay + running }
    private var running: [Record] = []
    private var underWay: [Record] = []
    /// Takes what is to be done later; nil commits before ``submit(_:)`` returns.
    public var later: ((@escaping () -> Void) -> Void)?
    /// The sizes of the batches that were committed.
    public private(set) var commits: [Int] = []
    /// How often the journal was marked idle.
    public private(set) var idleMarks = 0
    /// How often it was synced although nothing was new.
    public private(set) var syncs = 0
    /// The sequence number of the last record appended.
    public private(set) var head: SequenceNumber
    /// The oldest record that can be read.
    public var oldest: SequenceNumber { medium.oldest }
    /// Counts the journals that have owned the records.
    public let term: UInt64
    /// Names the log.
    public let epoch = "recorded"
    /// Whether room is said to run out.
    public var isShortOfSpace = false
    /// What accepted work may still write, as the engine said last.
    public private(set) var claims = SpaceClaims()
    /// The room for lines and claims; nil without a limit. Nothing gives room back.
    public var roomBytes: Int?
    /// Why new work is refused.
    public var room: Room {
        var room = Room(shortage: isShortOfSpace ? .bytes : nil)
        if let roomBytes { room.availableBytes = Int64(roomBytes - claims.total) }
        return room
    }
    /// Whether reading fails.
    public var isUnreadable = false
    /// The records that cannot be read, while those behind them can.
    public var damage: ClosedRange<SequenceNumber>?
    /// Whether nothing can be appended.
    public var isReadOnly = false
    /// Whether another owner appends.
    public var isFollowing = false
    /// Whether this process certainly owns the records.
    public var holdsTerm = true
    /// Whether marking it idle fails.
    public var failsIdleMarks = false
    /// Whether syncing without anything new fails.
    public var failsSyncs = false
    /// Says what becomes of a commit of so many records; asked before each.
    public var ending: (Int) -> Ending = { _ in .kept }
    /// Hears of each record as it is appended.
    public var onAppend: (Record) -> Void = { _ in }
    /// Hears of a batch that is durable now, before the caller does.
    public var onCommit: ([Record]) -> Void = { _ in }
    /// How many sequence numbers the next record leaves out.
    public var hole: () -> UInt64 = { 0 }
    private var lastEnding = Ending.kept
    /// Sequence numbers that idle marks and the store have taken since the last record.
    private var taken: UInt64 = 0
    /// Whether an idle mark is the last line.
    private var isMarked = false

    private let medium: Records

    /// The durable records, which outlive the journal that wrote them.
    private final class Records {
        var records: [Record]
        var store: [StoreLine]
        var oldest: SequenceNumber = 1
        /// The term of the owner.
        var owner: UInt64 = 1

        init(_ records: [Record], _ store: [StoreLine]) {
            self.records = records
            self.store = store
        }
    }

    /// Creates a journal that holds these records already.
    public init(
        durable: [Record] = [], store: [StoreLine] = [], head: SequenceNumber? = nil
    ) {
        medium = Records(durable, store)
        term = 1
        let last = durable.last?.sequence ?? 0
        self.head = head ?? last
        taken = max(self.head, store.last?.sequence ?? 0) - self.head
    }

    /// Takes the records of another journal over, whose commits are fenced from then on.
    public init(takingOver other: RecordingJournal) {
        medium = other.medium
        medium.owner += 1
        term = medium.owner
        head = medium.records.last?.sequence ?? 0
    }

    /// Gives back what is durable, as opening a journal of files does.
    public func replay(into replay: any LogReplay) throws {
        var store = durableStore[...]
        for record in durable {
            while let line = store.first, line.sequence < record.sequence {
                try replay.replay(store: line.record)
                store.removeFirst()
            }
            try replay.replay(record)
        }
        for line in store { try replay.replay(store: line.record) }
    }

    /// Adds a record of the embedded store to the batch.
    public func append(_ record: StoreRecord, time: Timestamp) {
        taken += 1
        isMarked = false
        runningStore.append(StoreLine(sequence: head + taken, record: record))
    }

    /// Whether there is room.
    public func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool {
        self.claims = claims
        return !isShortOfSpace && roomBytes.map { $0 >= claims.total + bytes } ?? true
    }

    /// Adds a record to the batch.
    public func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        head += 1 + taken + hole()
        taken = 0
        isMarked = false
        let record = Record(sequence: head, time: time, origin: origin, event: event)
        running.append(record)
        onAppend(record)
        return head
    }

    /// Ends the batch as ``ending`` has it, at once or ``later``.
    public func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        precondition(underWay.isEmpty, "a second batch was submitted while one was under way")
        guard !running.isEmpty || !runningStore.isEmpty else { return .committed }
        swap(&running, &underWay)
        swap(&runningStore, &storeUnderWay)
        guard let later else { return commit() }
        later { [self] in
            let result = commit()
            guard case .unknown(let asks) = lastEnding, asks > 0 else { return done(result) }
            askAgain(asks, later) { done(result) }
        }
        return nil
    }

    private func askAgain(
        _ asks: Int, _ later: @escaping (@escaping () -> Void) -> Void,
        _ answer: @escaping () -> Void
    ) {
        later { [self] in asks > 1 ? askAgain(asks - 1, later, answer) : answer() }
    }

    private func commit() -> CommitResult {
        guard term == medium.owner else {
            underWay = []
            storeUnderWay = []
            return .fenced(by: medium.owner)
        }
        let records = underWay
        let store = storeUnderWay
        underWay = []
        storeUnderWay = []
        lastEnding = ending(records.count)
        switch lastEnding {
        case .kept, .unknown:
            keep(records, store)
            return .committed
        case .failed:
            return .failed(JournalFailure("cannot sync: told to fail", errno: 5))
        case .torn(let count):
            let end = records.dropFirst(count).first?.sequence ?? .max
            keep(Array(records.prefix(count)), store.filter { $0.sequence < end })
            return .failed(
                JournalFailure("cannot sync: torn after \(count) records", errno: 5))
        case .fenced: return .fenced(by: term + 1)
        }
    }

    /// Reads durable records. The lines of an embedded store are not among them.
    public func page(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> RecordPage {
        let records = try readable(after: position, count: count)
        return RecordPage(records: records, position: records.last?.sequence ?? position)
    }

    private func readable(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> [Record] {
        guard !isUnreadable else { throw JournalFailure("cannot read: told to fail", errno: 5) }
        guard position + 1 >= oldest else { return [] }
        let start = index(after: position)
        let page = Array(durable[start..<min(start + count, durable.count)])
        guard let damage, page.contains(where: { damage.contains($0.sequence) }) else {
            return page
        }
        let readable = page.prefix { $0.sequence < damage.lowerBound }
        guard readable.isEmpty else { return Array(readable) }
        throw JournalFailure(
            "cannot read: told to fail", errno: 5,
            unreadable: max(damage.lowerBound, position + 1)...damage.upperBound)
    }

    /// Counts the mark, which takes a sequence number unless nothing came since the last.
    public func markIdle() throws(JournalFailure) {
        guard !failsIdleMarks else {
            throw JournalFailure("cannot mark the journal: told to fail", errno: 5)
        }
        idleMarks += 1
        if !isMarked { taken += 1 }
        isMarked = true
    }

    /// Counts the sync, which answers at once or ``later``.
    public func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        guard let later else { return sync() }
        later { [self] in done(sync()) }
        return nil
    }

    private func sync() -> CommitResult {
        guard !failsSyncs else {
            return .failed(JournalFailure("cannot sync: told to fail", errno: 5))
        }
        syncs += 1
        return .committed
    }

    /// Drops the records up to a position, as retention does.
    public func trim(upTo position: SequenceNumber) {
        medium.records.removeSubrange(..<index(after: position))
        medium.oldest = max(oldest, position + 1)
    }

    private func keep(_ records: [Record], _ store: [StoreLine]) {
        medium.records += records
        medium.store += store
        commits.append(records.count)
        onCommit(records)
    }

    private func index(after position: SequenceNumber) -> Int {
        var low = 0
        var high = durable.count
        while low < high {
            let middle = (low + high) / 2
            if durable[middle].sequence <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
