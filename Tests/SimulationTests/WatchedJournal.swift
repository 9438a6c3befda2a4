import PaymentCore

/// The journal of one life: hands everything on, reports it, and lets the process die at the worst
/// moments.
final class WatchedJournal: EventJournal {
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
    }

    /// Records appended and not known to be durable.
    private(set) var pending: [Record] = []
    var fate: () -> Fate = { .kept }
    var onAppend: (Record) -> Void = { _ in }
    var onDurable: ([Record]) -> Void = { _ in }
    var beforeFailure: () -> Void = {}
    /// A planted defect: changes what readers of the log get.
    var distort: ([Record]) -> [Record] = { $0 }
    /// A planted defect: says that nothing was ever trimmed.
    var hidesGaps = false
    private let base: any EventJournal

    init(_ base: any EventJournal) {
        self.base = base
    }

    var head: SequenceNumber { base.head }
    var oldest: SequenceNumber { hidesGaps ? 1 : base.oldest }
    var epoch: String { base.epoch }
    var isShortOfSpace: Bool { base.isShortOfSpace }

    func append(_ event: Event, time: Timestamp, origin: Origin?) -> SequenceNumber {
        let sequence = base.append(event, time: time, origin: origin)
        let record = Record(sequence: sequence, time: time, origin: origin, event: event)
        pending.append(record)
        onAppend(record)
        return sequence
    }

    func commit() throws(JournalFailure) {
        switch fate() {
        case .kept: try base.commit()
        case .diesBefore: throw JournalFailure("killed before the sync")
        case .diesAfter:
            try base.commit()
            reportDurable()
            throw JournalFailure("killed after the sync")
        case .fails:
            beforeFailure()
            try base.commit()
        case .forgotten: break
        }
        reportDurable()
    }

    func records(
        after position: SequenceNumber, count: Int
    ) throws(JournalFailure) -> [Record] {
        distort(try base.records(after: position, count: count))
    }

    func markIdle() throws(JournalFailure) {
        try base.markIdle()
    }

    func sync() throws(JournalFailure) {
        try base.sync()
    }

    private func reportDurable() {
        let records = pending
        pending = []
        onDurable(records)
    }
}
