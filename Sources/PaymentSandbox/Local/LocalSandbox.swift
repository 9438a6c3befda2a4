public import PaymentCore
public import PaymentHistory
import SandboxControl

/// The embedded store in the turns of a queue's engine. Its records are lines of the queue's log.
///
/// The rules are those of ``EmbeddedStore``. This type gives it identifiers and keys, and codes its events.
///
/// Proof: used on the engine's loop only; it is Sendable so that calls from elsewhere can name it on their
/// way to the loop, by ``PaymentCore/LocalStoreTurns``.
public final class LocalSandbox: LocalStore, @unchecked Sendable {
    private(set) var store: EmbeddedStore
    /// Whether there is no room for records that no call of the queue causes.
    public var isHeld = false
    private let makeID: () -> UniqueID
    private let historyKeys: any HistoryKeys

    /// Continues a store.
    ///
    /// - Parameters:
    ///   - catalogue: The products and the accounts.
    ///   - state: The state from the log; empty for a new store.
    ///   - keys: The keys that sign histories.
    ///   - makeID: Returns an identifier that was never issued before.
    public init(
        store catalogue: StoreCatalogue, state: SandboxState = SandboxState(),
        keys: any HistoryKeys = NoHistoryKeys(), makeID: @escaping () -> UniqueID
    ) {
        store = EmbeddedStore(catalogue, state: state)
        self.makeID = makeID
        historyKeys = keys
    }

    /// The word `sandbox`.
    public var name: String { "sandbox" }

    /// The default country of the catalogue.
    public var defaultCountry: CountryCode { store.catalogue.defaultCountry }

    /// The time of the next event.
    public var wakeAt: Timestamp? { store.wakeAt }

    /// The state with all events so far, for a snapshot.
    public var image: any StoreImage { SandboxImage(state: store.state) }

    /// Applies a record that another node has made, in the order of the log.
    ///
    /// - Throws: The record cannot be decoded, or does not fit the state.
    public func replay(_ record: StoreRecord) throws {
        try store.replay(SandboxEvent(typeWord: record.word, payload: record.json()))
    }

    /// Applies the events that are due.
    public func catchUp(at now: Timestamp) -> LocalEffects {
        LocalEffects(store.catchUp(context(now)))
    }

    /// Opens a session.
    public func logIn(
        account: AccountName, credential: OpaqueText?, at now: Timestamp
    ) -> LocalStep<Session> {
        LocalStep(store.logIn(account: account, credential: credential, context(now)))
    }

    /// The products that are sold in a country.
    public func catalogue(of country: CountryCode, at now: Timestamp) -> LocalStep<Catalogue> {
        LocalStep(store.catalogue(of: country, context(now)))
    }

    /// The products that are sold in a country; nil while a simulated error hides them.
    public func knownCatalogue(of country: CountryCode) -> Catalogue? {
        guard store.settings.simulatedErrors[.products] == nil else { return nil }
        return store.texts(of: country)
    }

    /// Places an order, or returns the outcome of the order that the transaction placed before.
    public func submit(_ order: OrderRequest, at now: Timestamp) -> LocalStep<OrderOutcome> {
        LocalStep(store.submit(order, context(now)))
    }

    /// Records the delivery of an order.
    public func complete(
        order: OrderID, account: AccountName, at now: Timestamp
    ) -> LocalStep<Void> {
        LocalStep(store.complete(order: order, account: account, context(now)))
    }

    /// Facts about an account.
    public func facts(of account: AccountName, at now: Timestamp) -> LocalStep<AccountFacts> {
        LocalStep(store.facts(of: account, context(now)))
    }

    /// Facts about an account; nil for an unknown account. Simulated outages do not hide them.
    public func knownFacts(of account: AccountName) -> AccountFacts? {
        try? AccountFacts(
            country: store.sales.country(of: account),
            paymentsAllowed: store.sales.mayBuy(account),
            introduced: store.state.introduced(account))
    }

    /// A page of an account's purchases, oldest first.
    public func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        at now: Timestamp
    ) -> LocalStep<PurchasePage> {
        LocalStep(store.purchases(selection, of: account, page: page, context(now)))
    }

    /// A page of an account's payments. The returned work signs it.
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery, at now: Timestamp
    ) -> LocalStep<any LocalWork<SignedHistory?>> {
        LocalStep(store.history(of: account, query, context(now))) {
            Signing(stretch: $0, query: query, keys: historyKeys)
        }
    }

    /// The public keys, the current one first. The returned work reads them.
    public func keys(at now: Timestamp) -> LocalStep<any LocalWork<[StoreKey]>> {
        LocalStep(store.defaultCountry(context(now))) { _ in KeyReading(keys: historyKeys) }
    }

    /// Replaces the catalogue. Orders and settings stay. The same catalogue has no effect.
    public func use(_ catalogue: StoreCatalogue) -> LocalEffects {
        LocalEffects(changes: Array(store.use(catalogue)))
    }

    /// Runs a control of a test, or reads from the store for it.
    func run<Answer, Failure>(
        at now: Timestamp,
        _ call: (inout EmbeddedStore, StoreContext) -> StoreStep<Answer, Failure>
    ) -> (Result<Answer, Failure>, LocalEffects) {
        let step = call(&store, context(now))
        return (step.answer, LocalEffects(step.effects))
    }

    private func context(_ now: Timestamp) -> StoreContext {
        StoreContext(now: now, makeID: makeID, isHeld: isHeld)
    }
}

/// Signs a page of a history.
private struct Signing: LocalWork {
    let stretch: HistoryStretch?
    let query: HistoryQuery
    let keys: any HistoryKeys

    func run() async throws(StoreFailure) -> SignedHistory? {
        guard let stretch else { return nil }
        return try await stretch.signed(query, with: keys.ring())
    }
}

/// Reads the public keys, and creates the first one if there is none.
private struct KeyReading: LocalWork {
    let keys: any HistoryKeys

    func run() async throws(StoreFailure) -> [StoreKey] {
        try await keys.ring().keySet.keys
    }
}

extension LocalEffects {
    /// Encodes the events of the embedded store.
    init(_ effects: StoreEffects) {
        self.init(
            records: effects.events.map(StoreRecord.init), changes: Array(effects.changes))
    }
}

extension LocalStep {
    fileprivate init(_ step: StoreStep<Answer, StoreFailure>) {
        self.init(
            answer: step.answer, effects: LocalEffects(step.effects), latency: step.latency)
    }

    fileprivate init<Found>(
        _ step: StoreStep<Found, StoreFailure>, _ answer: (Found) -> Answer
    ) {
        self.init(
            answer: step.answer.map(answer), effects: LocalEffects(step.effects),
            latency: step.latency)
    }
}
