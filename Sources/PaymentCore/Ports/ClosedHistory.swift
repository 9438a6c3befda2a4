/// The closed things of a queue that are on disk and not in memory: finished transactions with
/// their keys, orders, ended restores and announced revocations.
///
/// Each answer is exact: nil means that the thing was never closed or was dropped by retention. If
/// the answer is unknown, the call fails, and never reports the thing as absent.
public protocol ClosedHistory: Sendable {
    /// The last record whose closed things are in the history; 0 in an empty history. Everything
    /// that was closed up to this record is in it.
    var last: SequenceNumber { get }

    /// The bytes on disk, by the user whose calls created the closed transactions.
    var bytesByUser: [UInt32: Int] { get }

    /// Whether a part that retention can drop as a whole is older than a time.
    ///
    /// - Parameters:
    ///   - time: The newest thing of the part must have been closed before this time.
    ///   - mark: The time before which things were forgotten earlier. A part whose newest thing is
    ///     older does not count. Nil if nothing was forgotten.
    /// - Returns: Whether there is such a part.
    func hasPart(before time: Timestamp, notBefore mark: Timestamp?) -> Bool

    /// The newest fact that was closed under a key.
    ///
    /// - Returns: The fact as it was closed, with its record; nil if there is none.
    /// - Throws: The answer is unknown, because a file is missing, damaged or not yet indexed.
    func find(_ key: ClosedKey) throws(ClosedHistoryFailure) -> ClosedEntry?

    /// The transactions of an account in the order in which they were closed.
    ///
    /// - Parameters:
    ///   - account: The account at the time of closing; nil for transactions without one.
    ///   - position: Transactions closed by later records are returned; 0 for the beginning. The
    ///     position stays valid over restarts.
    ///   - limit: The maximum number of transactions to look at, at least 1.
    /// - Returns: The transactions and the position of the next page.
    /// - Throws: A file is missing, damaged or not yet indexed.
    func page(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) throws(ClosedHistoryFailure) -> ClosedPage
}

/// The closed history of a queue that has all closed things in memory.
public struct EmptyHistory: ClosedHistory {
    /// Creates the history.
    public init() {}

    /// Always 0.
    public var last: SequenceNumber { 0 }

    /// Always empty.
    public var bytesByUser: [UInt32: Int] { [:] }

    /// Always false.
    public func hasPart(before time: Timestamp, notBefore mark: Timestamp?) -> Bool { false }

    /// Finds nothing.
    public func find(_ key: ClosedKey) -> ClosedEntry? { nil }

    /// An empty page, which is the last one.
    public func page(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) -> ClosedPage {
        ClosedPage(entries: [], next: nil)
    }
}

/// A name under which a closed thing is found.
public enum ClosedKey: Sendable, Hashable {
    /// The identifier of a transaction.
    case transaction(TransactionID)
    /// The idempotency key of an `add` or a `restore` call.
    case key(OpaqueText)
    /// The order of a purchase. A purchase of an already owned product has its own order instead.
    case order(OrderID)
    /// The order that a restore returned last.
    case restoredOrder(OrderID)
    /// The order whose revocation was announced.
    case revokedOrder(OrderID)
    /// The identifier of a restore.
    case restore(RestoreID)
}

/// A closed thing, as it was when it was closed.
public enum ClosedFact: Sendable, Hashable {
    /// A transaction that left the queue, with the idempotency key of its `add` call.
    case transaction(Transaction, key: OpaqueText?, Finish)
    /// An order and its purchase. It remains when retention has dropped the transaction.
    case order(OrderID, TransactionID)
    /// An order whose revocation was announced.
    case revokedOrder(OrderID, OrderRevocation?)
    /// A restore that ended, with its idempotency keys.
    case restore(Restore, keys: [OpaqueText], RestoreOutcome, at: Timestamp)
}

/// A closed thing and the record that closed it.
public struct ClosedEntry: Sendable, Hashable {
    /// The record that closed a transaction. Other things may have a later record.
    public var sequence: SequenceNumber
    /// The closed thing.
    public var fact: ClosedFact
    /// The user that is charged for the thing until a history contains it; nil for no user. Entries
    /// from a history have none.
    public var user: UInt32?

    /// Creates an entry.
    public init(sequence: SequenceNumber, fact: ClosedFact, user: UInt32? = nil) {
        self.sequence = sequence
        self.fact = fact
        self.user = user
    }
}

extension ClosedFact {
    /// The item of a snapshot with the same content. The archive and the snapshots share its coding.
    public var item: SnapshotItem {
        switch self {
        case .transaction(let transaction, let key, let finish):
            .finished(transaction, key: key, finish, closed: nil)
        case .order(let order, let transaction): .order(order, transaction)
        case .revokedOrder(let order, let revocation): .revokedOrder(order, revocation)
        case .restore(let restore, let keys, let outcome, let time):
            .endedRestore(restore, keys: keys, outcome, at: time)
        }
    }

    /// The closed thing that an item of a snapshot describes; nil for items of open things.
    public init?(_ item: SnapshotItem) {
        switch item {
        case .finished(let transaction, let key, let finish, _):
            self = .transaction(transaction, key: key, finish)
        case .order(let order, let transaction): self = .order(order, transaction)
        case .revokedOrder(let order, let revocation): self = .revokedOrder(order, revocation)
        case .endedRestore(let restore, let keys, let outcome, let time):
            self = .restore(restore, keys: keys, outcome, at: time)
        case .counters, .session, .endedSession, .assumedCountry, .product, .transaction, .policy,
            .question, .closedQuestion, .restore, .lastRestoreEnd, .claim, .forgotten,
            .productsRevision, .observer:
            return nil
        }
    }

    /// Whether the key names this thing. All bytes of the key are compared.
    public func answers(_ key: ClosedKey) -> Bool {
        switch (self, key) {
        case (.transaction(let transaction, _, _), .transaction(let id)): transaction.id == id
        case (.transaction(_, let own, _), .key(let key)): own == key
        case (.transaction(let transaction, _, _), .order(let order)):
            transaction.purchasedOrder == order
        case (.transaction(let transaction, _, _), .restoredOrder(let order)):
            transaction.state == .restored && transaction.order == order
        case (.order(let own, _), .order(let order)): own == order
        case (.revokedOrder(let own, _), .revokedOrder(let order)): own == order
        case (.restore(let restore, _, _, _), .restore(let id)): restore.id == id
        case (.restore(_, let keys, _, _), .key(let key)): keys.contains(key)
        case (.transaction, _), (.order, _), (.revokedOrder, _), (.restore, _):
            false
        }
    }
}

extension Transaction {
    /// The order that this transaction bought; nil if it bought none. A purchase of an already
    /// owned product bought none: its order belongs to the earlier purchase.
    public var purchasedOrder: OrderID? {
        state == .purchased && charge?.offer != .alreadyOwned ? order : nil
    }
}

/// Some closed transactions of one account.
public struct ClosedPage: Sendable, Hashable {
    /// A closed transaction.
    public struct Entry: Sendable, Hashable {
        /// The sequence number of the record that closed it.
        public var sequence: SequenceNumber
        /// Its last snapshot.
        public var transaction: Transaction
        /// Its removal from the queue.
        public var finish: Finish

        /// Creates an entry.
        public init(sequence: SequenceNumber, transaction: Transaction, finish: Finish) {
            self.sequence = sequence
            self.transaction = transaction
            self.finish = finish
        }
    }

    /// The transactions in the order of closing.
    public var entries: [Entry]
    /// The position for the next page; nil at the end.
    public var next: SequenceNumber?

    /// Creates a page.
    public init(entries: [Entry], next: SequenceNumber?) {
        self.entries = entries
        self.next = next
    }

    /// The first entries of two pages that follow the same position, in the order of closing.
    public func merged(with other: ClosedPage) -> ClosedPage {
        let end = [next, other.next].compactMap { $0 }.min()
        let both = (entries + other.entries).filter { $0.sequence <= end ?? .max }
        return ClosedPage(entries: both.sorted { $0.sequence < $1.sequence }, next: end)
    }
}

/// The failure of a lookup of closed things. The description names the file and the cause.
public struct ClosedHistoryFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence such as "'archive-….ndjson' is damaged at byte 4096".
    public let description: String
    /// Whether the cause is a damaged file, which stays damaged. False for an index that is being
    /// built.
    public let isDamage: Bool
    /// Whether the cause is an index that is missing or damaged.
    public let isMissingIndex: Bool

    /// Creates a failure.
    public init(_ description: String, isDamage: Bool = false, isMissingIndex: Bool = false) {
        self.description = description
        self.isDamage = isDamage
        self.isMissingIndex = isMissingIndex
    }
}
