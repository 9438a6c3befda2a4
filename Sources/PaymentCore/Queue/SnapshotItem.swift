/// One item of a queue's whole state. A snapshot is a sequence of items.
///
/// A queue returns its items in a fixed order, in which an item follows those that it refers to.
/// Loading them in that order into an empty queue gives an equal queue. Equal states always give
/// the same sequence.
public enum SnapshotItem: Sendable, Hashable {
    /// The number of daemon starts on this state directory, and the last record of which claims
    /// are unknown; nil in snapshots of older versions, which have no claims.
    case counters(incarnation: UInt64, claimsUnknownUpTo: SequenceNumber? = nil)
    /// The current session; nil while no account is logged in.
    case session(Session?)
    /// The session that the store ended, until the next login.
    case endedSession(EndedSession)
    /// The country to assume while no account is logged in, set by a client; nil if none is set.
    case assumedCountry(CountryCode?)
    /// A product with the number by which transactions name it. It precedes all its uses.
    case product(RecordedProduct)
    /// An unfinished transaction, in the order of acceptance of its account. `key` is the
    /// idempotency key of the `add` call. `newestEvent` is its newest record that observers
    /// receive. `user` is the user of the call; nil without a client and in snapshots of older
    /// versions.
    case transaction(
        Transaction, key: OpaqueText?, newestEvent: SequenceNumber, user: UInt32?)
    /// A remembered transaction that left the queue, in the order of leaving: its last snapshot,
    /// its idempotency key and its finish. `closed` is the record that removed it; nil in snapshots
    /// of older versions.
    case finished(Transaction, key: OpaqueText?, Finish, closed: SequenceNumber? = nil)
    /// An order and its transaction. Never forgotten.
    case order(OrderID, TransactionID)
    /// The gate policy, if it differs from that of a new queue.
    case policy(GatePolicy)
    /// An open question, in the order of opening, with the record that opened it; nil in older
    /// snapshots. It follows its transaction.
    case question(Question, opened: SequenceNumber?)
    /// A remembered question that ended, in the order of ending.
    case closedQuestion(QuestionID, account: AccountName?, at: Timestamp)
    /// A running restore, in the order of acceptance, with its idempotency keys. `user` is the user of the
    /// call; nil without a client and in snapshots of older versions.
    case restore(Restore, keys: [OpaqueText], user: UInt32? = nil)
    /// A remembered restore that ended, in the order of ending.
    case endedRestore(Restore, keys: [OpaqueText], RestoreOutcome, at: Timestamp)
    /// The end of the last restore of an account.
    case lastRestoreEnd(AccountName, at: Timestamp)
    /// A login of an account that owns everything recorded without an account before, in the order of
    /// the logins.
    case claim(AccountName, at: SequenceNumber)
    /// A record of `forgotten`: things are forgotten that were closed before the record, at a time
    /// before its time.
    case forgotten(before: Timestamp, by: SequenceNumber)
    /// An order whose revocation was announced to observers, with its time and reason; nil in
    /// snapshots of older versions. Never forgotten.
    case revokedOrder(OrderID, OrderRevocation?)
    /// The number of catalogue changes of the store.
    case productsRevision(UInt64)
    /// A named observer: its acknowledged position, the time of its last recorded acknowledgement,
    /// and the user that the name belongs to. That user is nil in snapshots of older versions, until
    /// a client uses the name.
    case observer(OpaqueText, upTo: SequenceNumber, at: Timestamp, owner: UInt32? = nil)
}
