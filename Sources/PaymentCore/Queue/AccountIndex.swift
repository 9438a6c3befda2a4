/// The indexes and counts of one account. Account nil has the transactions that wait for the next
/// login.
struct AccountIndex: Sendable {
    /// Unfinished transactions in the order of acceptance.
    var live = PlaceList()
    /// The entries of `live` that are not sent to the store.
    var waiting: [WaitingLine: PlaceList] = [:]
    /// The user of the transaction that was last sent to the store or opened a question. Users take
    /// turns. After a start from a snapshot, another user may be the first.
    var lastStarted: UInt64 = 0
    /// Transactions that left the queue, in the order of leaving.
    var finished = PlaceList()
    /// The entries of `live` that wait for an approval.
    var deferred = PlaceList()
    /// The number of transactions in each state.
    var counts = StateCounts()
    /// The transactions that block another purchase of a product that is bought only once, oldest
    /// first.
    var blocking: [ProductIdentifier: [Int32]] = [:]
}

/// The turns of the users of an account, by their numbers.
enum UserTurn {
    /// The turn of a user: its number plus 1, or 0 without a client.
    static func of(_ user: UInt32?) -> UInt64 { user.map { UInt64($0) + 1 } ?? 0 }

    /// The rank of a turn in the round after the turn `last`; 0 is first.
    static func rank(_ turn: UInt64, after last: UInt64) -> UInt64 { turn &- last &- 1 }
}

/// The key of a list of waiting transactions in the order of acceptance: one user, one product.
struct WaitingLine: Sendable, Hashable {
    /// The turn of the user whose call created the transactions.
    var user: UInt64
    /// The product of the transactions.
    var product: ProductIdentifier

    init(_ transaction: Transaction, of user: UInt32?) {
        self.user = UserTurn.of(user)
        product = transaction.payment.product.product.productIdentifier
    }

    /// The rank of this user in the round after the user `last`; 0 is first.
    func turn(after last: UInt64) -> UInt64 { UserTurn.rank(user, after: last) }
}

/// The number of unfinished transactions by state.
public struct StateCounts: Sendable, Hashable {
    /// Accepted, not sent to the store.
    public var waiting = 0
    /// Not sent to the store; a question is open.
    public var gated = 0
    /// At the store.
    public var submitted = 0
    /// Waiting for an approval at the store.
    public var deferred = 0
    /// Paid, not finished.
    public var purchased = 0
    /// Finished; the completion is not yet reported to the store.
    public var completing = 0
    /// Returned by a restore.
    public var restored = 0
    /// Failed, not finished.
    public var failed = 0

    /// The sum of all states.
    public var unfinished: Int {
        waiting + gated + submitted + deferred + purchased + completing + restored + failed
    }

    /// Transactions that are not yet decided at the store.
    public var purchasing: Int { waiting + gated + submitted + deferred }

    /// Creates counts of zero.
    public init() {}

    mutating func add(_ amount: Int, to state: TransactionState) {
        switch state {
        case .waiting: waiting += amount
        case .gated: gated += amount
        case .submitted: submitted += amount
        case .deferred: deferred += amount
        case .purchased: purchased += amount
        case .completing: completing += amount
        case .restored: restored += amount
        case .failed: failed += amount
        }
    }

    static func + (left: StateCounts, right: StateCounts) -> StateCounts {
        var sum = left
        sum.waiting += right.waiting
        sum.gated += right.gated
        sum.submitted += right.submitted
        sum.deferred += right.deferred
        sum.purchased += right.purchased
        sum.completing += right.completing
        sum.restored += right.restored
        sum.failed += right.failed
        return sum
    }
}
