package import PaymentCore
package import SandboxControl

/// The functions that only a server uses: an embedded sandbox needs the port alone.
extension Sandbox {
    /// Where an account is now.
    package func country(of name: AccountName) async throws(StoreFailure) -> CountryCode {
        try await answer { () throws(StoreFailure) in try sales.country(of: name) }
    }

    /// How many orders there are in each state.
    package func counts() async -> [StoreOrder.State: Int] {
        state.orderTable.counts
    }

    /// The outcome of the order that a transaction of an account has placed; nil if it has none, or
    /// is another account's.
    package func outcome(
        of transaction: TransactionID, account: AccountName
    ) async throws(StoreFailure) -> OrderOutcome? {
        try await answer(.purchase) { () throws(StoreFailure) in
            state.outcome(of: transaction, account: account)
        }
    }
}
