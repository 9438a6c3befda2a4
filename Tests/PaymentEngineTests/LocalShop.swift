import PaymentCore
import PaymentTesting

/// A store that runs in the turns of an engine. Every order, every completion and every piece of its
/// own work is one record.
final class LocalShop: LocalStore {
    let name = "shop"
    var wakeAt: Timestamp?
    var isHeld = false
    /// The contents of the store.
    var store = StoreModel()
    /// How orders fail; nil if they are answered.
    var orderFailure: StoreFailure?
    /// The changes by the own work that is due at ``wakeAt``.
    var ownChanges: [StoreChange] = []
    /// Every order that was asked for, repetitions included.
    private(set) var submissions: [TransactionID] = []

    func catchUp(at now: Timestamp) -> LocalEffects {
        guard let wakeAt, wakeAt <= now else { return LocalEffects() }
        self.wakeAt = nil
        return LocalEffects(records: [Self.record("renewal")], changes: ownChanges)
    }

    func logIn(
        account: AccountName, credential: OpaqueText?, at now: Timestamp
    ) -> LocalStep<Session> {
        do throws(StoreFailure) {
            return LocalStep(answer: .success(try store.logIn(account)))
        } catch {
            return LocalStep(answer: .failure(error))
        }
    }

    func catalogue(of country: CountryCode, at now: Timestamp) -> LocalStep<Catalogue> {
        LocalStep(answer: .success(store.catalogue(of: country)))
    }

    func knownCatalogue(of country: CountryCode) -> Catalogue? { nil }

    func submit(_ order: OrderRequest, at now: Timestamp) -> LocalStep<OrderOutcome> {
        submissions.append(order.transaction)
        if let orderFailure { return LocalStep(answer: .failure(orderFailure)) }
        return LocalStep(
            answer: .success(store.submit(order)),
            effects: LocalEffects(records: [Self.record("order")]))
    }

    func complete(
        order: OrderID, account: AccountName, at now: Timestamp
    ) -> LocalStep<Void> {
        do throws(StoreFailure) {
            try store.complete(order, account)
        } catch {
            return LocalStep(answer: .failure(error))
        }
        return LocalStep(
            answer: .success(()), effects: LocalEffects(records: [Self.record("completion")]))
    }

    func facts(of account: AccountName, at now: Timestamp) -> LocalStep<AccountFacts> {
        LocalStep(answer: .success(store.facts(of: account)))
    }

    func knownFacts(of account: AccountName) -> AccountFacts? { nil }

    func purchases(
        _ selection: PurchaseSelection, of account: AccountName, page: OpaqueText?,
        at now: Timestamp
    ) -> LocalStep<PurchasePage> {
        LocalStep(answer: .success(PurchasePage()))
    }

    func signedHistory(
        of account: AccountName, _ query: HistoryQuery, at now: Timestamp
    ) -> LocalStep<any LocalWork<SignedHistory?>> {
        LocalStep(answer: .failure(Self.unsigned))
    }

    func keys(at now: Timestamp) -> LocalStep<any LocalWork<[StoreKey]>> {
        LocalStep(answer: .failure(Self.unsigned))
    }

    /// A record of the store with a word.
    static func record(_ word: String) -> StoreRecord {
        StoreRecord(word: word, payload: Array("{}".utf8))
    }

    private static let unsigned = StoreFailure(
        .internalError, "this store does not sign histories")
}
