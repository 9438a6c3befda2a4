/// A command turned down by the rules. Nothing changed.
public enum Refusal: Error, Sendable, Hashable {
    /// The product is not in the catalogue of the country.
    case unknownProduct(ProductIdentifier)
    /// The key was used with other parameters, by another account, or for another method.
    case keyReuse(key: OpaqueText, transaction: TransactionID)
    /// The account may not buy.
    case paymentsNotAllowed
    /// The queue holds as many unfinished transactions as it may.
    case queueFull(limit: Int)
    /// A transaction for the same product is unfinished, and the product is not bought twice.
    case alreadyLive(TransactionID, TransactionState.Phase)
    /// The queue never held a transaction of that id, or does not show it to this session.
    case unknownTransaction
    /// The key names a restore already, or the other way round; see ``keyReuse(key:transaction:)``.
    case keyReuseByRestore(key: OpaqueText, restore: RestoreID)
    /// The queue never asked that question, or does not show it to this session.
    case unknownQuestion
    /// The question was answered, or ended without an answer.
    case questionClosed(QuestionID)
    /// No named observer has that name.
    case unknownObserver(OpaqueText)
    /// The position is not reached yet.
    case cursorAhead(SequenceNumber)
    /// As many things are there as a limit lets there be; the limit by its configuration key.
    case shareExceeded(limit: String, number: Int)
}
