import Logging
import PaymentCore
import PaymentSandbox
import PaymentStorage

/// The parts of the server that its routes use.
struct StoreServices: Sendable {
    /// Accounts, orders and subscriptions.
    let sandbox: Sandbox
    /// The products and the accounts.
    let catalogue: StoreCatalogue
    /// Sessions and their tokens.
    let tokens: SessionTokenStore
    /// The events for clients that listen.
    let feed: ChangeFeed
    /// The counters.
    let counters: Counters
    /// The time of day.
    let now: @Sendable () -> Timestamp
    /// The log of the program.
    let log: Logger
    /// The state directory; each kind of data has a directory in it.
    let state: StateDirectory
    /// The access rules of the operator's page.
    let operators: OperatorAccess
    /// The merchants that may use the Merchant API.
    let merchants: MerchantAccess
}
