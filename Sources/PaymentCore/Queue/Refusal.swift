/// A command refused by the rules. Nothing changed.
public enum Refusal: Error, Sendable, Hashable {
    /// The product is not in the catalogue of the country.
    case unknownProduct(ProductIdentifier)
    /// The key already names a transaction, and this call has other parameters, another account or
    /// another method.
    case keyReuse(key: OpaqueText, transaction: TransactionID)
    /// The account may not buy.
    case paymentsNotAllowed
    /// The queue has reached its limit of unfinished transactions.
    case queueFull(limit: Int)
    /// An unfinished transaction has the same product, and the product is bought only once.
    case alreadyLive(TransactionID, TransactionState.Phase)
    /// The transaction never existed, or is not visible to this session.
    case unknownTransaction
    /// The key already names a restore, and this call has other parameters, another account or
    /// another method.
    case keyReuseByRestore(key: OpaqueText, restore: RestoreID)
    /// The question never existed, or is not visible to this session.
    case unknownQuestion
    /// The question was answered, or ended without an answer.
    case questionClosed(QuestionID)
    /// The named observer is unknown.
    case unknownObserver(OpaqueText)
    /// A live subscription uses the name.
    case nameInUse(OpaqueText)
    /// The name belongs to another user, so that no one else may subscribe with it.
    case nameOfAnother(OpaqueText)
    /// The name belongs to another user, and the caller may not act for others.
    case notOwner(OpaqueText)
    /// The position is greater than the head of the log, given here.
    case cursorAhead(SequenceNumber)
    /// The user has reached its share of a limit, or the limit is reached. `number` is the limit,
    /// and `share` is the number of units that the user may hold now; nil if all users together have
    /// reached the limit.
    case shareExceeded(SharedLimit, number: Int, share: Int?)
}
