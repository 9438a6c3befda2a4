/// A store whose records are in the log of the queue: the embedded sandbox.
///
/// The engine calls it on its loop, within a turn. A call neither waits nor performs input or output.
/// It changes the state at once, and returns the answer with the records to commit. The records go into
/// the running batch, together with the events that the answer causes.
public protocol LocalStore: AnyObject {
    /// A short name for logs and `status`.
    var name: String { get }

    /// The time of the store's next own event, such as a renewal; nil if there is none. The engine then
    /// calls ``catchUp(at:)``.
    var wakeAt: Timestamp? { get }

    /// Whether there is no room for records that no call of the queue causes. While it is true, the
    /// store makes no changes of its own, and its controls fail.
    var isHeld: Bool { get set }

    /// Performs events that are due, at most a bounded number.
    func catchUp(at now: Timestamp) -> LocalEffects

    /// See ``StoreBackend/logIn(account:credential:)``.
    func logIn(account: AccountName, credential: OpaqueText?, at now: Timestamp)
        -> LocalStep<Session>

    /// See ``StoreBackend/catalogue(of:)``.
    func catalogue(of country: CountryCode, at now: Timestamp) -> LocalStep<Catalogue>

    /// See ``StoreBackend/knownCatalogue(of:)``.
    func knownCatalogue(of country: CountryCode) -> Catalogue?

    /// See ``StoreBackend/submit(_:)``.
    func submit(_ order: OrderRequest, at now: Timestamp) -> LocalStep<OrderOutcome>

    /// See ``StoreBackend/complete(order:account:)``.
    func complete(order: OrderID, account: AccountName, at now: Timestamp) -> LocalStep<Void>

    /// See ``StoreBackend/facts(of:)``.
    func facts(of account: AccountName, at now: Timestamp) -> LocalStep<AccountFacts>

    /// See ``StoreBackend/knownFacts(of:)``.
    func knownFacts(of account: AccountName) -> AccountFacts?

    /// See ``StoreBackend/purchases(_:of:page:)``.
    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        at now: Timestamp
    ) -> LocalStep<PurchasePage>

    /// See ``StoreBackend/signedHistory(of:_:)``. Signing is work for another thread.
    func signedHistory(
        of account: AccountName, _ query: HistoryQuery, at now: Timestamp
    ) -> LocalStep<any LocalWork<SignedHistory?>>

    /// See ``StoreBackend/keys()``. The first call may make a key, which is work for another thread.
    func keys(at now: Timestamp) -> LocalStep<any LocalWork<[StoreKey]>>
}

/// The rest of an answer, which is computed outside of the engine's loop.
public protocol LocalWork<Value>: Sendable {
    /// The answer.
    associatedtype Value: Sendable

    /// Computes the answer. Called once, on any thread.
    func run() async throws(StoreFailure) -> Value
}

/// The changes that a local store has made.
public struct LocalEffects: Sendable, Hashable {
    /// The records to commit, in order.
    public var records: [StoreRecord]
    /// The changes that no call of the queue caused. The queue is notified of them after the commit.
    public var changes: [StoreChange]

    /// Creates effects.
    public init(records: [StoreRecord] = [], changes: [StoreChange] = []) {
        self.records = records
        self.changes = changes
    }
}

/// The result of one call of a local store.
public struct LocalStep<Answer: Sendable>: Sendable {
    /// The answer. It must not leave the process before the records are committed.
    public var answer: Result<Answer, StoreFailure>
    /// The changes that the call made, including those of a failed call.
    public var effects: LocalEffects
    /// The delay of the answer. The changes do not wait for it, so that a crash during the delay leaves
    /// an order that the queue does not know.
    public var latency: Duration

    /// Creates a result.
    public init(
        answer: Result<Answer, StoreFailure>, effects: LocalEffects = LocalEffects(),
        latency: Duration = .zero
    ) {
        self.answer = answer
        self.effects = effects
        self.latency = latency
    }
}

/// Runs calls of a local store that do not come from the queue, such as the controls of a test.
public protocol LocalStoreTurns: Sendable {
    /// Runs a call on the engine's loop. May be called on any thread.
    ///
    /// - Parameters:
    ///   - call: Called with the time, at most once. It must not call this method again.
    ///   - done: Called once on the loop. It gets the value of `call` after the commit of everything
    ///     that the store had done by then; nil if the engine has stopped.
    func run<Value: Sendable>(
        _ call: @escaping @Sendable (Timestamp) -> (Value, LocalEffects),
        whenCommitted done: @escaping @Sendable (Value?) -> Void)
}
