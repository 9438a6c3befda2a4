/// The queue's state per account; nil stands for no account until a login.
struct AccountIndex: Sendable {
    /// Unfinished transactions in the order of acceptance.
    var live = PlaceList()
    /// Those of `live` that are not sent to the store.
    var waiting: [WaitingLine: PlaceList] = [:]
    /// The user whose transaction left for the store, or for a question before that, last. Users take
    /// turns; a start from a snapshot may begin with another user.
    var lastStarted: UInt64 = 0
    /// Transactions that left the queue, in the order of leaving.
    var finished = PlaceList()
    /// Those of `live` that wait for an approval.
    var deferred: Set<Int32> = []
    /// How many stand in which state.
    var counts = StateCounts()
    /// Which transactions keep a product that is not bought twice from being bought, oldest first.
    var blocking: [ProductIdentifier: [Int32]] = [:]
}

/// Transactions that wait in the order of acceptance: those of a user for a product.
struct WaitingLine: Sendable, Hashable {
    /// The user whose call made them, shifted by one; 0 where no client did.
    var user: UInt64
    /// The product that they are for.
    var product: ProductIdentifier

    init(_ transaction: Transaction, of user: UInt32?) {
        self.user = user.map { UInt64($0) + 1 } ?? 0
        product = transaction.payment.product.product.productIdentifier
    }

    /// Where the line stands in the round of users that begins behind one of them.
    func turn(after last: UInt64) -> UInt64 { user &- last &- 1 }
}

/// How many unfinished transactions stand where.
public struct StateCounts: Sendable, Hashable {
    /// Accepted, not sent.
    public var waiting = 0
    /// Not sent, a question is open.
    public var gated = 0
    /// At the store.
    public var submitted = 0
    /// Waiting for an approval at the store.
    public var deferred = 0
    /// Paid, not finished.
    public var purchased = 0
    /// Finished, the store not yet told.
    public var completing = 0
    /// Given back by a restore.
    public var restored = 0
    /// Failed, not finished.
    public var failed = 0

    /// All together.
    public var unfinished: Int {
        waiting + gated + submitted + deferred + purchased + completing + restored + failed
    }

    /// Those that have not come to an end at the store.
    public var purchasing: Int { waiting + gated + submitted + deferred }

    /// No transactions.
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
