import PaymentCore

/// The journal of one life: hands everything on, reports it, and lets the process die at the worst
/// moments.
final class WatchedJournal: RecordLog {
    /// What becomes of a commit.
    enum Fate {
        /// It is made.
        case kept
        /// The process dies before anything of it is written.
        case diesBefore
        /// The process dies when everything is durable and nobody has been told.
        case diesAfter
        /// The medium fails.
        case fails
        /// A planted defect: success is reported and nothing is made durable, not before the next.
        case forgotten
        /// Another process has taken the log over.
        case fenced
    }

    /// Records appended and not known to be durable.
    private(set) var pending: [Record] = []
    /// How many of them are under way to the medium.
    private var underWay = 0
    /// How many records of the store were appended, how many of them are under way, and how many are
    /// known to be durable.
    private var storeAppended = 0
    private var storeUnderWay = 0
    private(set) var storeDurable = 0
    /// Whether everything is known to be durable.
    var isSettled: Bool { pending.isEmpty && storeDurable == storeAppended }
    /// Takes a commit that answers later; nil commits at once.
    var later: ((@escaping () -> Void) -> Void)?
    var fate: () -> Fate = { .kept }
    var onAppend: (Record) -> Void = { _ in }
    var onDurable: ([Record]) -> Void = { _ in }
    var beforeFailure: () -> Void = {}
    /// A planted defect: changes what readers of the log get.
    var distort: ([Record]) -> [Record] = { $0 }
    /// A planted defect: says that nothing was ever trimmed.
    var hidesGaps = false
    private let base: any RecordLog

    init(_ base: any RecordLog) {
        self.base = base
    }

    var head: SequenceNumber { base.head }
    var oldest: SequenceNumber { hidesGaps ? 1 : base.oldest }
    var epoch: String { base.epoch }
    var term: UInt64 { base.term }
    var room: Room { base.room }

    func hasRoom(for bytes: Int, beside claims: SpaceClaims) -> Bool {
        base.hasRoom(for: bytes, beside: claims)
    }

    func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        let sequence = base.append(event, time: time, origin: origin)
        let record = Record(sequence: sequence, time: time, origin: origin, event: event)
        pending.append(record)
        onAppend(record)
        return sequence
    }

    func append(_ record: StoreRecord, time: Timestamp) {
        base.append(record, time: time)
        storeAppended += 1
    }

    func submit(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        let count = pending.count - underWay
        precondition(underWay == 0, "a second batch was submitted while one was under way")
        guard count > 0 || storeAppended > storeDurable else { return .committed }
        underWay = count
        storeUnderWay = storeAppended
        switch fate() {
        case .kept: break
        case .diesBefore: return .failed(JournalFailure("killed before the sync"))
        case .diesAfter:
            if let result = base.submit({ _ in }) { _ = reported(result) }
            return .failed(JournalFailure("killed after the sync"))
        case .fails: beforeFailure()
        case .forgotten:
            reportDurable()
            return .committed
        case .fenced: return .fenced(by: base.term + 1)
        }
        guard let result = base.submit(done) else { return nil }
        guard let later else { return reported(result) }
        // The medium has it already; the engine learns that later, or dies before.
        later { [self] in done(reported(result)) }
        return nil
    }

    private func reported(_ result: CommitResult) -> CommitResult {
        if case .committed = result { reportDurable() }
        return result
    }

    func probe(_ done: @escaping (CommitResult) -> Void) -> CommitResult? {
        base.probe(done)
    }

    func page(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> RecordPage {
        let committed = pending.first?.sequence ?? .max
        var page = try base.page(after: position, count: count)
        page.records = distort(page.records.filter { $0.sequence < committed })
        page.position = min(page.position, max(position, committed - 1))
        return page
    }

    func markIdle() throws(JournalFailure) {
        try base.markIdle()
    }

    private func reportDurable() {
        let records = Array(pending.prefix(underWay))
        pending.removeFirst(underWay)
        underWay = 0
        storeDurable = storeUnderWay
        onDurable(records)
    }
}
