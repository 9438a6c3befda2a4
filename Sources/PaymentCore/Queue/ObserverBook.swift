/// The named observers and up to where each has dealt with everything.
struct ObserverBook: Sendable {
    /// One named observer.
    struct Entry: Sendable, Hashable {
        var position: SequenceNumber
        var time: Timestamp
    }

    private(set) var entries: [OpaqueText: Entry] = [:]

    /// Notes a position; never a lower one than before.
    mutating func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, at time: Timestamp
    ) {
        let known = entries[name]?.position ?? 0
        entries[name] = Entry(position: max(known, position), time: time)
    }

    /// Forgets who has said nothing since a moment.
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
    /// The position up to which a named observer has dealt with everything; nil for an unknown name.
    public func acknowledged(by observer: OpaqueText) -> SequenceNumber? {
        observers.entries[observer]?.position
    }

    /// The named observers with their positions, by name.
    public var namedObservers: [(name: OpaqueText, acknowledged: SequenceNumber)] {
        observers.entries.map { ($0.key, $0.value.position) }
            .sorted { OpaqueText.precedes($0.name, $1.name) }
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
