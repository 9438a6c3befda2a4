package import PaymentCore
package import SandboxControl

/// Functions for the store server only; an embedded sandbox needs only ``StoreBackend``.
extension Sandbox {
    /// The current country of an account.
    package func country(of name: AccountName) async throws(StoreFailure) -> CountryCode {
        try await answer { () throws(StoreFailure) in try sales.country(of: name) }
    }

    /// The number of orders in each state.
    package func counts() async -> [StoreOrder.State: Int] {
        state.orderTable.counts
    }

    /// The outcome of the order that a transaction has placed; nil if there is none, or if it
    /// belongs to another account.
    package func outcome(
        of transaction: TransactionID, account: AccountName
    ) async throws(StoreFailure) -> OrderOutcome? {
        try await answer(.purchase) { () throws(StoreFailure) in
            state.outcome(of: transaction, account: account)
        }
    }
}

extension SandboxState {
    /// The country of an account: that of the settings if they set one.
    ///
    /// - Throws: The account is unknown.
    func country(
        of name: AccountName, in store: StoreCatalogue
    ) throws(StoreFailure) -> CountryCode {
        let account = try account(name, in: store)
        return settings(in: store).storefront ?? account.country
    }
}
