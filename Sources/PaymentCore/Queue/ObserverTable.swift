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
        private func isSilent(at now: Timestamp) -> Bool {
            now.milliseconds - time.milliseconds >= Self.signOfLife
        }

        /// Whether an unchanged position is recorded: because the last record is old, or because the
        /// name gets an owner.
        func mustRecord(_ context: DecisionContext) -> Bool {
            isSilent(at: context.now) || owner == nil && context.origin != nil
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

    /// Forgets a name; false if it is unknown.
    mutating func forget(_ name: OpaqueText) -> Bool {
        guard let entry = entries[name] else { return false }
        remove(name, entry)
        return true
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

    /// The user that a name belongs to; nil for an unknown name and for one without an owner.
    public func owner(of observer: OpaqueText) -> UInt32? { observers.entries[observer]?.owner }

    /// A named observer.
    public struct NamedObserver: Sendable, Hashable {
        /// The name.
        public let name: OpaqueText
        /// The position up to which it has acknowledged all events.
        public let acknowledged: SequenceNumber
        /// The user that the name belongs to; nil if no client has used it since an older version.
        public let owner: UInt32?
    }

    /// The named observers, by name.
    public var namedObservers: [NamedObserver] {
        observers.entries.map {
            NamedObserver(name: $0.key, acknowledged: $0.value.position, owner: $0.value.owner)
        }.sorted { OpaqueText.precedes($0.name, $1.name) }
    }

    /// Whether a name is known and a user may subscribe with it.
    public func isKnown(_ observer: OpaqueText, to user: UInt32) -> Bool {
        observers.entries[observer]?.isOwn(user) ?? false
    }

    /// Refuses a name that a user may not subscribe with: it belongs to another user, or it is new and
    /// the user has reached its share of names.
    public func admit(_ name: OpaqueText, user: UInt32?) throws(Refusal) {
        guard let entry = observers.entries[name] else {
            return try observers.share.require(for: user, .namedObservers, limits)
        }
        guard entry.isOwn(user) else { throw .nameOfAnother(name) }
    }

    /// Decides about the acknowledgement of a named observer. A position that is not new is
    /// recorded at most once a day, so that an active observer is not forgotten.
    ///
    /// - Parameters:
    ///   - name: The observer.
    ///   - position: The last record that it has handled.
    ///   - mayActForOthers: Whether the caller may name an observer of another user.
    ///   - context: Time and caller.
    ///   - events: The resulting event is appended.
    /// - Throws: The observer is unknown or belongs to another user, or the position is greater than the
    ///   head of the log.
    public func decideAcknowledgement(
        by name: OpaqueText, upTo position: SequenceNumber, mayActForOthers: Bool = false,
        _ context: DecisionContext, events: inout [Event]
    ) throws(Refusal) {
        let entry = try entry(of: name, mayActForOthers, context)
        guard position <= head else { throw .cursorAhead(head) }
        guard position > entry.position || entry.mustRecord(context) else { return }
        events.append(.acknowledged(observer: name, upTo: max(position, entry.position)))
    }

    /// Decides that a name is given up, with the parameters of
    /// ``decideAcknowledgement(by:upTo:mayActForOthers:_:events:)``.
    ///
    /// - Throws: The observer is unknown or belongs to another user.
    public func decideForgetting(
        _ name: OpaqueText, mayActForOthers: Bool = false, _ context: DecisionContext,
        events: inout [Event]
    ) throws(Refusal) {
        _ = try entry(of: name, mayActForOthers, context)
        events.append(.observerForgotten(name))
    }

    private func entry(
        of name: OpaqueText, _ mayActForOthers: Bool, _ context: DecisionContext
    ) throws(Refusal) -> ObserverTable.Entry {
        guard let entry = observers.entries[name] else { throw .unknownObserver(name) }
        guard mayActForOthers || entry.isOwn(context.origin?.uid) else { throw .notOwner(name) }
        return entry
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
        guard entry.mustRecord(context) else { return }
        events.append(.acknowledged(observer: name, upTo: entry.position))
    }

    mutating func forget(_ observer: OpaqueText, _ record: Record) throws(IllegalRecord) {
        guard observers.forget(observer) else {
            throw IllegalRecord("record \(record.sequence) forgets an unknown observer")
        }
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
