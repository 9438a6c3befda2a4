public import PaymentCore
import PaymentHistory
import SandboxControl

/// The sandbox is a store, and stores sign.
extension Sandbox {
    /// A page of what an account has paid for, signed; nil if it has no such page (any more).
    public func signedHistory(
        of account: AccountName, _ query: HistoryQuery
    ) async throws(StoreFailure) -> SignedHistory? {
        let found = try await answer(.history) { () throws(StoreFailure) in
            _ = try sales.mayBuy(account)
            return history(of: account, query)
        }
        guard let found else { return nil }
        return try await Self.sign(found, query, with: environment.keys.ring())
    }

    /// A page of what the account of an order has paid for, signed.
    public func signedHistory(
        holding order: OrderID, _ query: HistoryQuery
    ) async throws(StoreFailure) -> HeldHistory {
        let found = try await answer(.history) { () throws(StoreFailure) -> Stretch?? in
            guard let known = state.order(order), known.isPaid else { return nil }
            return .some(history(of: known.order.account, query))
        }
        guard let found else { return .noSuchOrder }
        guard let found else { return .noSuchPage }
        return .page(try await Self.sign(found, query, with: environment.keys.ring()))
    }

    /// The result of asking for the history of an order.
    public enum HeldHistory: Sendable, Hashable {
        /// The page that was asked for.
        case page(SignedHistory)
        /// There is no such order, or it was never paid.
        case noSuchOrder
        /// The order is there, the page is none of its account's (any more).
        case noSuchPage
    }

    private typealias Stretch = (history: TransactionHistory, isLast: Bool)

    /// As many purchases as a page can hold at most, however short they are.
    private func history(of account: AccountName, _ query: HistoryQuery) -> Stretch? {
        let most = query.limitBytes / InAppPurchase.leastBytes + 1
        return PurchasePages(state, store).history(
            of: account, page: query.page, limit: min(query.limit ?? most, most), at: time())
    }

    /// The public keys, the one in use first.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        try await answer { () throws(StoreFailure) in }
        return try await environment.keys.ring().keySet.keys
    }

    /// Writes and signs what fits outside of the sandbox, whose loop must stay free for orders. The
    /// page that follows is named by the last order of this one.
    @concurrent
    private static func sign(
        _ found: Stretch, _ query: HistoryQuery, with ring: KeyRing
    ) async throws(StoreFailure) -> SignedHistory {
        let purchases = found.history.transactions
        do throws(SigningFault) {
            var (signed, count) = try ring.sign(found.history, limitBytes: query.limitBytes)
            if count < purchases.count || !found.isLast {
                signed.next = OpaqueText(purchases[count - 1].orderID.description)
            }
            return signed
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
    }
}
