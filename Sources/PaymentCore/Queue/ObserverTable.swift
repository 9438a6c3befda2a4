/// The named observers with the position up to which each has acknowledged all events.
struct ObserverTable: Sendable {
    /// One named observer.
    struct Entry: Sendable, Hashable {
        var position: SequenceNumber
        var time: Timestamp
        /// The user that the name belongs to: the first that used it. Nil in snapshots of older versions,
        /// until a client uses the name.
        var owner: UInt32?

        /// Whether a user may use the name; nil without a client.
        func isOwn(_ user: UInt32?) -> Bool { owner == nil || user == nil || owner == user }

        /// The minimum interval between records of an unchanged position, in milliseconds.
        private static let signOfLife: Int64 = 86_400_000

        /// Whether the last record is at least `signOfLife` old. An unchanged position is then
        /// recorded again.
        func isSilent(at now: Timestamp) -> Bool {
            now.milliseconds - time.milliseconds >= Self.signOfLife
        }
    }

    private(set) var entries: [OpaqueText: Entry] = [:]
    /// The names by owner.
    private(set) var share = Share()

    /// Stores a position and its time. A lower position does not replace a higher one. A name without an
    /// owner belongs to the user from now on.
    mutating func acknowledge(
        _ name: OpaqueText, upTo position: SequenceNumber, at time: Timestamp, by user: UInt32?
    ) {
        let known = entries[name]
        let owner = known?.owner ?? user
        if known != nil { share.giveBack(of: known?.owner) }
        share.take(for: owner)
        entries[name] = Entry(
            position: max(known?.position ?? 0, position), time: time, owner: owner)
    }

    /// Whether the last record of any observer is older than a time.
    func hasSilent(since moment: Timestamp) -> Bool {
        entries.values.contains { $0.time < moment }
    }

    /// Forgets the observers whose last record is older than a time.
    mutating func forget(before: Timestamp) {
        for (name, entry) in entries where entry.time < before { remove(name, entry) }
    }

    private mutating func remove(_ name: OpaqueText, _ entry: Entry) {
        entries[name] = nil
        share.giveBack(of: entry.owner)
    }

    func snapshotItems<Failure>(_ body: (SnapshotItem) throws(Failure) -> Void) throws(Failure) {
        for (name, entry) in entries.sorted(by: { OpaqueText.precedes($0.key, $1.key) }) {
            try body(
                .observer(name, upTo: entry.position, at: entry.time, owner: entry.owner))
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

    /// Refuses a name that a user may not subscribe with: it belongs to another user, or it is new and the
    /// user has its share of names.
    public func admit(_ name: OpaqueText, user: UInt32?) throws(Refusal) {
        guard let entry = observers.entries[name] else {
            return try observers.share.require(
                for: user, .namedObservers, limits,
                full: .tooManyNames(limit: limits.namedObservers))
        }
        guard entry.isOwn(user) else { throw .nameOfAnother(name) }
    }

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
        observers.acknowledge(
            observer, upTo: position, at: record.time, by: record.origin?.uid)
    }
}
