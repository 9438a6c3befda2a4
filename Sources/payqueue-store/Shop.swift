import Logging
import PaymentCore
import PaymentSandbox
import PaymentStorage

/// Everything that the routes serve: the sandbox, and the desks that clients come to.
struct Shop: Sendable {
    /// Accounts, orders and subscriptions.
    let sandbox: Sandbox
    /// What is sold and to whom.
    let catalogue: StoreCatalogue
    /// Sessions and their tokens.
    let tokens: TokenDesk
    /// What is told to clients that listen.
    let feed: FeedDesk
    /// What is counted.
    let counters: Counters
    /// The time of day.
    let now: @Sendable () -> Timestamp
    /// Where people read.
    let log: Logger
    /// Where things are kept; each kind in a directory of its own.
    let state: StateDirectory
    /// Who may operate the shop by its page.
    let operators: OperatorAccess
    /// Who may ask the Merchant API.
    let merchants: MerchantRegister
}
