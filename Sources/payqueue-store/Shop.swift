import Logging
import PaymentCore
import PaymentSandbox
import PaymentStorage

/// Everything that the routes serve: the sandbox, and the desks that clients come to.
struct Shop: Sendable {
    /// Accounts, orders and subscriptions.
    let sandbox: Sandbox
    /// The products and the accounts.
    let catalogue: StoreCatalogue
    /// Sessions and their tokens.
    let tokens: TokenDesk
    /// The events for clients that listen.
    let feed: FeedDesk
    /// The counters.
    let counters: Counters
    /// The time of day.
    let now: @Sendable () -> Timestamp
    /// Where people read.
    let log: Logger
    /// Where things are kept; each kind in a directory of its own.
    let state: StateDirectory
    /// The access rules of the operator's page.
    let operators: OperatorAccess
    /// The merchants that may use the Merchant API.
    let merchants: MerchantRegister
}
