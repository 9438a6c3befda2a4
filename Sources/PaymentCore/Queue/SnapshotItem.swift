/// One piece of a queue's whole state. A snapshot is a sequence of these.
///
/// A queue gives its items in a fixed order: counters, session, assumed country, products,
/// transactions in queue order, finished ones, orders. Loading them in that order into an empty
/// queue makes an equal queue; the same state always gives the same sequence.
public enum SnapshotItem: Sendable, Hashable {
    /// How often the daemon had started on this state directory.
    case counters(incarnation: UInt64)
    /// The session in force, nil while nobody is logged in.
    case session(Session?)
    /// The country that a client said to assume while nobody is logged in.
    case assumedCountry(CountryCode?)
    /// A product with the number that transactions name it by. Comes before all that use it.
    case product(RecordedProduct)
    /// An unfinished transaction, with the idempotency key of the call that added it.
    case transaction(Transaction, key: OpaqueText?)
    /// A transaction that left the queue and is still remembered: its last snapshot, its
    /// idempotency key, when and why it left, and who caused that.
    case finished(
        Transaction, key: OpaqueText?, at: Timestamp, reason: RemovalReason, by: Origin?)
    /// An order and the transaction that it became. Never forgotten.
    case order(OrderID, TransactionID)
}
