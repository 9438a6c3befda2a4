/// One piece of a queue's whole state. A snapshot is a sequence of these.
///
/// A queue gives its items in a fixed order: counters, session, assumed country, products,
/// transactions in queue order, finished ones, orders. Loading them in that order into an empty
/// queue makes an equal queue; the same state always gives the same sequence.
public enum SnapshotItem: Sendable, Hashable {
    /// How often the daemon had started on this state directory.
    case counters(incarnation: UInt64)
    /// The session in force, nil while no account is logged in.
    case session(Session?)
    /// The session that the store ended, where no login has followed.
    case endedSession(EndedSession)
    /// The country that a client said to assume while no account is logged in.
    case assumedCountry(CountryCode?)
    /// A product with the number that transactions name it by. Comes before all that use it.
    case product(RecordedProduct)
    /// An unfinished transaction, in the order of acceptance of its account, with the idempotency
    /// key of the call that added it, the newest of its records that observers are told of, and the user
    /// whose call it was; nil where no client did, and in snapshots from before this was kept.
    case transaction(
        Transaction, key: OpaqueText?, newestEvent: SequenceNumber, user: UInt32?)
    /// A transaction that left the queue and is still remembered, in the order of leaving: its last
    /// snapshot, its idempotency key, and how it left.
    case finished(Transaction, key: OpaqueText?, Finish)
    /// An order and the transaction that it became. Never forgotten.
    case order(OrderID, TransactionID)
    /// The gate policy, unless it is that of a new queue.
    case policy(GatePolicy)
    /// A question that is open, in the order of opening, and the record that opened it; nil where that
    /// was not written down. Comes after its transaction.
    case question(Question, opened: SequenceNumber?)
    /// A question that ended and is still remembered, in the order of ending.
    case closedQuestion(QuestionID, account: AccountName?, at: Timestamp)
    /// A restore that has not ended, in the order of acceptance, with the keys that name it.
    case restore(Restore, keys: [OpaqueText])
    /// A restore that ended and is still remembered, in the order of ending.
    case endedRestore(Restore, keys: [OpaqueText], RestoreOutcome, at: Timestamp)
    /// An order that the store took back and observers were told of, and when and why that was; nil in
    /// snapshots from before this was recorded. Never forgotten.
    case revokedOrder(OrderID, OrderRevocation?)
    /// How many catalogues the store has had.
    case productsRevision(UInt64)
    /// A named observer: up to where it has dealt with everything, and when it last said so.
    case observer(OpaqueText, upTo: SequenceNumber, at: Timestamp)
}
