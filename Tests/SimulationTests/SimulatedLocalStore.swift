import PaymentCore
import PaymentTesting

@testable import PaymentSandbox

/// The simulated store in the turns of an engine: what happens there are lines of the engine's log. It
/// answers with any luck, now and then late.
final class SimulatedLocalStore: LocalStore {
    let name = "simulated"
    /// The store has no clock here: due events happen with every call.
    let wakeAt: Timestamp? = nil
    /// The simulated store makes no changes of its own in a call.
    var isHeld = false
    private let store: SimulatedStore
    private var dice: SeededGenerator
    private let onSubmit: (OrderRequest) -> Void
    private let onComplete: (OrderID, AccountName) -> Void

    init(
        _ store: SimulatedStore, dice: SeededGenerator,
        onSubmit: @escaping (OrderRequest) -> Void,
        onComplete: @escaping (OrderID, AccountName) -> Void
    ) {
        self.store = store
        self.dice = dice
        self.onSubmit = onSubmit
        self.onComplete = onComplete
    }

    func catchUp(at now: Timestamp) -> LocalEffects { store.takeEffects() }

    func logIn(
        account: AccountName, credential: OpaqueText?, at now: Timestamp
    ) -> LocalStep<Session> {
        step { store throws(StoreFailure) in try store.logIn(account) }
    }

    func catalogue(of country: CountryCode, at now: Timestamp) -> LocalStep<Catalogue> {
        step { $0.catalogue.catalogue(of: country) }
    }

    func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    func knownFacts(of account: AccountName) -> AccountFacts? { nil }

    func submit(_ order: OrderRequest, at now: Timestamp) -> LocalStep<OrderOutcome> {
        onSubmit(order)
        return step(order.account) { store throws(StoreFailure) in try store.charge(order) }
    }

    func complete(
        order: OrderID, account: AccountName, at now: Timestamp
    ) -> LocalStep<Void> {
        onComplete(order, account)
        return step(account) { store throws(StoreFailure) in
            try store.confirm(order, account)
        }
    }

    func facts(of account: AccountName, at now: Timestamp) -> LocalStep<AccountFacts> {
        step(account) { store throws(StoreFailure) in try store.facts(of: account) }
    }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        at now: Timestamp
    ) -> LocalStep<PurchasePage> {
        step(account) { store throws(StoreFailure) in
            try store.purchases(selection, of: account, page: page)
        }
    }

    func signedHistory(
        of account: AccountName, _ query: HistoryQuery, at now: Timestamp
    ) -> LocalStep<any LocalWork<SignedHistory?>> {
        preconditionFailure("the simulation asks for no signatures")
    }

    func keys(at now: Timestamp) -> LocalStep<any LocalWork<[StoreKey]>> {
        preconditionFailure("the simulation asks for no keys")
    }

    private func step<Answer>(
        _ account: AccountName? = nil, _ body: (SimulatedStore) throws(StoreFailure) -> Answer
    ) -> LocalStep<Answer> {
        store.catchUp()
        let luck = store.isFaulty ? dice.below(100) : 100
        let result: Result<Answer, StoreFailure>
        if store.isDown {
            result = .failure(StoreFailure(.serviceUnavailable, "down"))
        } else if let account, store.forgotten.contains(account) {
            result = .failure(StoreFailure(.sessionRevoked, "forgotten"))
        } else if luck < 4 {
            result = .failure(StoreFailure(.connectionError, "refused by luck"))
        } else {
            do throws(StoreFailure) {
                let answer = try body(store)
                result =
                    luck < 10
                    ? .failure(StoreFailure(.connectionError, "the answer is lost"))
                    : .success(answer)
            } catch {
                result = .failure(error)
            }
        }
        let isLate = dice.chance(25)
        return LocalStep(
            answer: result, effects: store.takeEffects(),
            latency: isLate ? .milliseconds(1 + dice.below(3000)) : .zero)
    }
}

/// The simulated store as its records make it.
extension SimulatedStore {
    /// The state of the store after so many of its events.
    struct Image {
        let state: SandboxState
        let ledger: Ledger
        let charges: [TransactionID: Int]

        /// The state as a snapshot has it. Items that do not depend on each other come in any order.
        var items: [String] {
            var items: [String] = []
            SandboxImage(state: state).items { item in
                guard item.word != "forgotten" else { return }
                items.append("\(item.word) \(String(decoding: item.payload, as: UTF8.self))")
            }
            items += state.deletions.names.map { "forgotten \($0)" }
            return items.sorted()
        }
    }

    func logIn(_ account: AccountName) throws(StoreFailure) -> Session {
        forgotten.remove(account)
        return try SaleRules(state: state, store: catalogue).session(of: account, credential: nil)
    }

    func facts(of account: AccountName) throws(StoreFailure) -> AccountFacts {
        let sales = SaleRules(state: state, store: catalogue)
        return AccountFacts(
            country: try sales.country(of: account), paymentsAllowed: try sales.mayBuy(account),
            introduced: state.introduced(account))
    }

    /// Takes note that the goods of an order were delivered.
    func confirm(_ order: OrderID, _ account: AccountName) throws(StoreFailure) {
        guard defect != .completionsAreDropped,
            let event = try state.decide(completionOf: order, account: account)
        else { return }
        record(event)
    }
}
