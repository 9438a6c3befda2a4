public import PaymentCore
import PaymentHistory

/// The sandbox is a store, and stores sign.
extension Sandbox {
    /// Everything that an account has paid for, signed.
    public func signedHistory(of account: AccountName) async throws(StoreFailure) -> SignedHistory {
        let history = try await answer(.history) { () throws(StoreFailure) in
            _ = try state.mayBuy(account, in: store)
            return state.history(of: account, in: store, at: time())
        }
        return try await sign(history)
    }

    /// Everything that the account of an order has paid for, signed; nil if there is no such order,
    /// or if it was never paid.
    public func signedHistory(
        holding order: OrderID
    ) async throws(StoreFailure) -> SignedHistory? {
        let history = try await answer(.history) { () throws(StoreFailure) -> TransactionHistory? in
            guard let known = state.order(order), known.isPaid else { return nil }
            return state.history(of: known.order.account, in: store, at: time())
        }
        guard let history else { return nil }
        return try await sign(history)
    }

    /// The public keys, the one in use first.
    public func keys() async throws(StoreFailure) -> [StoreKey] {
        try await answer { () throws(StoreFailure) in }
        return try await environment.keys.ring().keySet.keys
    }

    private func sign(_ history: TransactionHistory) async throws(StoreFailure) -> SignedHistory {
        try await Self.sign(history, with: environment.keys.ring())
    }

    /// Signs beside the sandbox, whose loop must stay free for orders.
    @concurrent
    private static func sign(
        _ history: TransactionHistory, with ring: KeyRing
    ) async throws(StoreFailure) -> SignedHistory {
        do throws(SigningFault) {
            return try ring.sign(history)
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
    }
}
