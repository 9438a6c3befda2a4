/// The named observers with the position up to which each has acknowledged all events.
struct ObserverTable: Sendable {
    /// One named observer.
    struct Entry: Sendable, Hashable {
        var position: SequenceNumber
        var time: Timestamp

        /// The minimum interval between records of an unchanged position, in milliseconds.
        private static let signOfLife: Int64 = 86_400_000

        /// Whether the last record is at least `signOfLife` old. An unchanged position is then
        /// recorded again.
        func isSilent(at now: Timestamp) -> Bool {
            now.milliseconds - time.milliseconds >= Self.signOfLife
        }
    }

    private(set) var entries: [OpaqueText: Entry] = [:]

    /// Stores a position and its time. A lower position does not replace a higher one.
    mutating func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, at time: Timestamp
    ) {
        let known = entries[name]?.position ?? 0
        entries[name] = Entry(position: max(known, position), time: time)
    }

    /// Whether the last record of any observer is older than a time.
    func hasSilent(since moment: Timestamp) -> Bool {
        entries.values.contains { $0.time < moment }
    }

    /// Forgets the observers whose last record is older than a time.
    mutating func forget(before: Timestamp) {
        entries = entries.filter { $0.value.time >= before }
    }

    func snapshotItems<Failure>(_ body: (SnapshotItem) throws(Failure) -> Void) throws(Failure) {
        for (name, entry) in entries.sorted(by: { OpaqueText.precedes($0.key, $1.key) }) {
            try body(.observer(name, upTo: entry.position, at: entry.time))
        }
    }
}

extension PaymentQueue {
    /// The position up to which a named observer has acknowledged all events; nil for an unknown
    /// name.
    public func acknowledged(by observer: OpaqueText) -> SequenceNumber? {
        observers.entries[observer]?.position
    }

    /// The named observers with their positions, by name.
    public var namedObservers: [(name: OpaqueText, acknowledged: SequenceNumber)] {
        observers.entries.map { ($0.key, $0.value.position) }
            .sorted { OpaqueText.precedes($0.name, $1.name) }
    }

    /// Whether another named observer may be added.
    public var hasRoomForObserver: Bool { observers.entries.count < limits.namedObservers }

    /// Decides about the acknowledgement of a named observer. A position that is not new is
    /// recorded at most once a day, so that an active observer is not forgotten.
    ///
    /// - Throws: The observer is unknown, or the position is greater than the head of the log.
    public func decideAcknowledgement(
        by name: OpaqueText, upTo position: SequenceNumber, _ context: DecisionContext,
        events: inout [Event]
    ) throws(Refusal) {
        guard let entry = observers.entries[name] else { throw .unknownObserver(name) }
        guard position <= head else { throw .cursorAhead(head) }
        guard position > entry.position || entry.isSilent(at: context.now) else { return }
        events.append(.acknowledged(observer: name, upTo: max(position, entry.position)))
    }

    /// Decides about the subscription of a named observer. A new observer begins at `position`, or
    /// at the head if that is lower. A known one is recorded at most once a day.
    public func decideObserver(
        _ name: OpaqueText, from position: SequenceNumber, _ context: DecisionContext,
        events: inout [Event]
    ) {
        guard let entry = observers.entries[name] else {
            return events.append(.acknowledged(observer: name, upTo: min(position, head)))
        }
        guard entry.isSilent(at: context.now) else { return }
        events.append(.acknowledged(observer: name, upTo: entry.position))
    }

    mutating func acknowledge(
        _ observer: OpaqueText, upTo position: SequenceNumber, _ record: Record
    ) throws(IllegalRecord) {
        guard position < record.sequence else {
            throw IllegalRecord("observer \(observer) is ahead of record \(record.sequence)")
        }
        observers.acknowledge(observer, upTo: position, at: record.time)
    }
}
