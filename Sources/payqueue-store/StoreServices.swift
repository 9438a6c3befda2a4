import Logging
import PaymentCore
import PaymentSandbox
import PaymentStorage

/// The parts of the server that its routes use.
struct StoreServices: Sendable {
    /// The store with accounts, orders and subscriptions.
    let sandbox: SandboxService
    /// The catalogue of products and accounts.
    let catalogue: StoreCatalogue
    /// Sessions and their tokens.
    let tokens: SessionTokenStore
    /// The terms of queues that several nodes share.
    let terms: OwnerTerms
    /// The change feeds.
    let feed: ChangeFeed
    let counters: Counters
    /// Returns the current wall-clock time.
    let now: @Sendable () -> Timestamp
    let log: Logger
    /// The state directory; each kind of data has a subdirectory.
    let state: StateDirectory
    /// The access rules of the operator's page.
    let operators: OperatorAccess
    /// The merchants that may use the Merchant API.
    let merchants: MerchantAccess
    /// The delays of wrong credentials and passwords.
    var guesses = GuessDelay()
}
