/// The queue of payment transactions, as a value.
///
/// `decide…` reads the state and returns the events of a command, or refuses it. Only `apply`
/// changes the state, at run time and in replay. The queue does no input or output, reads no clock
/// and draws no random number. The same records therefore always give the same state.
///
/// A finished transaction stays until a history contains it or a `forgotten` record forgets it. Its
/// id, key and order must still be recognized, so decisions look up closed things in the history as
/// well. Orders are never forgotten.
public struct PaymentQueue: Sendable {
    /// The limits that decisions observe.
    public var limits: Limits
    /// The active observers. They are not in the journal and are counted again after every start.
    public var activeObservers = ActiveObservers()

    /// The account in session and its country.
    public internal(set) var session: Session?
    /// The session that the store ended, until the next login.
    public internal(set) var endedSession: EndedSession?
    /// The country to assume while no account is logged in, set by a client; nil if none is set.
    public internal(set) var assumedCountry: CountryCode?
    /// The policy for a changed country or price.
    public internal(set) var policy = GatePolicy()
    /// The number of catalogue changes of the store.
    public internal(set) var productsRevision: UInt64 = 0
    /// The number of daemon starts on this state.
    public internal(set) var incarnation: UInt64 = 0
    /// The sequence number of the last applied record.
    public internal(set) var head: SequenceNumber = 0

    /// The unfinished transactions of all accounts by the user whose `add` created them. Those that the
    /// store created are charged to no user.
    var unfinished = Share()

    var table = TransactionTable()
    /// Places in the table by transaction id, and by the idempotency key of the `add` call.
    var indexByID = HashIndex()
    var indexByKey = HashIndex()
    /// Places of transactions of batches that the indexes do not have yet; see ``finishBatches()``.
    var unindexed: UnindexedPlaces?
    /// Places by order. An order has the place of the transaction that it became, which may be
    /// forgotten, and the place of the transaction that last restored it.
    var indexByOrder = HashIndex()
    /// The unfinished purchases of already owned products, by the existing order.
    var repeats: [OrderID: [TransactionID]] = [:]
    var accounts = AccountIndexes()
    var products: [RecordedProduct] = []
    /// The last few recorded products of each key, newest last. The catalogue and older purchases
    /// of the store may have alternating prices, and each price is recorded only once.
    var latestProducts: [ProductKey: [RecordedProduct]] = [:]
    var nextPosition: UInt64 = 1
    var questions = QuestionTable()
    var restores = RestoreTable()
    /// The revoked orders that were announced to observers, with time and reason; nil if an older
    /// snapshot lacks them. An order may become a purchase after the announcement.
    var revokedOrders: [OrderID: OrderRevocation?] = [:]
    var observers = ObserverTable()
    /// The owners of what was recorded without an account.
    var claims = ClaimList()
    /// The part of the history that is forgotten.
    var forgotten = RetentionMarks()
    /// The claims of the transactions in memory and of the recorded products.
    var claimed = ClaimedSpace()
    /// A lower bound of the finish times of the transactions in memory; nil without one.
    var oldestFinish: Timestamp?

    /// The time before which things were forgotten last; nil if nothing was.
    public var forgottenBefore: Timestamp? { forgotten.newest }

    /// The number of recorded products of one key that are compared before a new one is recorded.
    static let productsRemembered = 8

    /// A product identifier in a country.
    struct ProductKey: Hashable {
        var identifier: ProductIdentifier
        var country: CountryCode
    }

    /// Creates an empty queue.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }
}

extension PaymentQueue {
    /// The number of unfinished transactions of all accounts.
    public var unfinishedCount: Int { unfinished.total }

    /// The units that users hold of a limit; nil for a limit that does not depend on the state of
    /// the queue.
    public func share(of limit: SharedLimit) -> Share? {
        switch limit {
        case .unfinishedTransactions: unfinished
        case .unfinishedRestores: restores.share
        case .namedObservers: observers.share
        case .diskBytes: claimed.share
        case .connections, .subscriptions, .waitingCallsInAll: nil
        }
    }

    /// The numbers of unfinished transactions that the session sees, by state.
    public var visibleCounts: StateCounts {
        accounts[session?.account]?.counts ?? StateCounts()
    }

    /// Whether the session sees the data of an account. Without a session, data without an account
    /// is visible.
    public func isVisible(_ account: AccountName?) -> Bool {
        account == session?.account
    }

    /// The account of a recorded transaction. If the record has none, the result is the account
    /// that took the transaction at a later login. An account never changes.
    ///
    /// - Parameters:
    ///   - transaction: The transaction as it was recorded.
    ///   - sequence: The record.
    /// - Returns: The account; nil for a transaction that no account owns yet.
    public func owner(
        of transaction: Transaction, recordedBy sequence: SequenceNumber
    ) -> AccountName? {
        if let account = transaction.account { return account }
        guard sequence > claims.unknownUpTo else {
            return self.transaction(transaction.id)?.account
        }
        return claims.owner(of: sequence)
    }

    /// A transaction of any account, in the queue or remembered.
    public func transaction(_ id: TransactionID) -> Transaction? {
        locate(id).map { record(at: $0).transaction }
    }

    /// The record at a place. A transaction that left the queue without an account has the account
    /// of a later login.
    func record(at place: Int32) -> TransactionRecord {
        var record = table[place]
        if !record.isLive, record.transaction.account == nil {
            record.transaction.account = claims.owner(of: record.position)
        }
        return record
    }

    /// The finish of a transaction; nil while it is in the queue.
    public func finish(of id: TransactionID) -> Finish? {
        locate(id).flatMap { table[$0].finished }
    }

    /// The recorded product of a number, for readers of the journal; nil for an unknown number.
    public func recordedProduct(_ number: UInt32) -> RecordedProduct? {
        number >= 1 && number <= products.count ? products[Int(number) - 1] : nil
    }

    /// The condition that a purchasing transaction waits for; nil for other transactions.
    /// Transactions of an account that is not in session always wait for a login.
    public func waitingFor(_ transaction: Transaction) -> WaitingFor? {
        guard transaction.state.phase == .purchasing else { return nil }
        guard let session, transaction.account == session.account else { return .login }
        switch transaction.state {
        case .waiting:
            let product = transaction.payment.product.product.productIdentifier
            return activeObservers.admits(product) ? .store : .observer
        case .gated: return .gate
        case .submitted: return .store
        case .deferred: return .approval
        case .purchased, .completing, .restored, .failed: return nil
        }
    }

    /// The numbers of unfinished transactions that the session sees, by state, plus those of an
    /// account whose session the store has ended. Every client may see these numbers.
    public var openCounts: StateCounts {
        guard let ended = endedSession?.session.account else { return visibleCounts }
        return visibleCounts + (accounts[ended]?.counts ?? StateCounts())
    }

    /// The transactions of ``openCounts`` by the condition that they wait for.
    public var waitingCounts: [WaitingFor: Int] {
        var counts = visibleWaitingCounts
        if let ended = endedSession.flatMap({ accounts[$0.session.account]?.counts }) {
            counts[.login, default: 0] += ended.purchasing
        }
        return counts.filter { $0.value > 0 }
    }

    private var visibleWaitingCounts: [WaitingFor: Int] {
        guard let index = accounts[session?.account] else { return [:] }
        var counts: [WaitingFor: Int] = [
            .approval: index.counts.deferred, .gate: index.counts.gated,
        ]
        counts[.store] = index.counts.submitted
        for (line, list) in index.waiting {
            let reason: WaitingFor =
                session == nil ? .login : activeObservers.admits(line.product) ? .store : .observer
            counts[reason, default: 0] += list.count
        }
        return counts
    }

    /// Calls `body` for the visible unfinished transactions after a position in the order of
    /// acceptance, until it returns false. `body` also gets the position and the sequence number of
    /// the transaction's newest event. Position 0 is the beginning.
    ///
    /// - Parameters:
    ///   - position: The position after which to begin.
    ///   - withEnded: Whether the transactions of an account whose session the store has ended come
    ///     first. They were accepted before all transactions without an account.
    ///   - body: Receives a transaction; returns false to stop.
    public func forEachUnfinished(
        after position: UInt64 = 0, withEnded: Bool = false,
        _ body: (Transaction, UInt64, SequenceNumber) -> Bool
    ) {
        if withEnded, let ended = endedSession?.session.account {
            guard forEachUnfinished(of: ended, after: position, body) else { return }
        }
        _ = forEachUnfinished(of: session?.account, after: position, body)
    }

    /// Calls `body` for the visible unfinished transactions after a position in the order of
    /// acceptance, until it returns false. `body` receives the facts that are known without
    /// unpacking the transaction, and the transaction on demand. It is for readers that skip most
    /// transactions.
    public func forEachUnfinished(
        after position: UInt64, glancing body: (TransactionGlance, () -> Transaction) -> Bool
    ) {
        accounts[session?.account]?.live.forEach(after: position) { entry in
            body(table.glance(at: entry.place)) { table[entry.place].transaction }
        }
    }

    private func forEachUnfinished(
        of account: AccountName?, after position: UInt64,
        _ body: (Transaction, UInt64, SequenceNumber) -> Bool
    ) -> Bool {
        var goesOn = true
        accounts[account]?.live.forEach(after: position) { entry in
            let stored = table[entry.place]
            goesOn = body(stored.transaction, entry.position, stored.lastEvent)
            return goesOn
        }
        return goesOn
    }

    /// Calls `body` for the visible transactions in memory that left the queue after a record, in
    /// the order of leaving, until it returns false. `body` also gets the sequence number of the
    /// record that removed the transaction.
    public func forEachFinished(
        after position: SequenceNumber = 0, _ body: (Transaction, Finish, SequenceNumber) -> Bool
    ) {
        var position = position
        while let entry = nextFinished(of: session?.account, after: position) {
            position = entry.position
            let stored = record(at: entry.place)
            guard let finish = stored.finished else { continue }
            guard body(stored.transaction, finish, position) else { return }
        }
    }

    private func nextFinished(
        of account: AccountName?, after position: SequenceNumber
    ) -> PlaceList.Entry? {
        let unowned = nextUnowned(of: account, after: position)
        guard account != nil, let own = accounts[account]?.finished.first(after: position) else {
            return unowned
        }
        guard let unowned, unowned.position < own.position else { return own }
        return unowned
    }

    /// The next transaction that left the queue without an account and belongs to an account.
    private func nextUnowned(
        of account: AccountName?, after position: SequenceNumber
    ) -> PlaceList.Entry? {
        guard let list = accounts[nil]?.finished, list.count > 0 else { return nil }
        var position = position
        while let entry = list.first(after: position) {
            if claims.owner(of: entry.position) == account { return entry }
            guard let next = claims.beginning(of: account, after: entry.position) else { break }
            position = next
        }
        return nil
    }

    /// The place of a transaction in the table.
    func locate(_ id: TransactionID) -> Int32? {
        indexByID.place(id.spreadHash) { table.id(at: $0) == id }
    }

    /// The place of the transaction that an `add` call with this key created.
    func locate(key: OpaqueText) -> Int32? {
        indexByKey.place(key.spreadHash) { table.hasKey(key, at: $0) }
    }
}
