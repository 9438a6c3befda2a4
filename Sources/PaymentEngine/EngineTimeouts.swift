/// The times that the engine waits for persons and for the store before it continues without them.
///
/// They run on the loop's clock, never on the time of day.
public struct EngineTimeouts: Sendable, Hashable {
    /// The maximum time that a login question stays open. The login agents share it. After it, the
    /// calls that wait for the login are refused.
    public var login: Duration
    /// The maximum time that a payment question stays open. The payment agents share it. After it,
    /// the payment fails.
    public var payment: Duration
    /// The time limit of a restore. It begins when its account is in session and an observer is
    /// ready.
    public var restore: Duration
    /// The interval from the end of one reconciliation with the store to the next one.
    public var reconciliation: Duration

    /// Creates the times; the defaults are those of the contract.
    public init(
        login: Duration = .seconds(120), payment: Duration = .seconds(120),
        restore: Duration = .seconds(60), reconciliation: Duration = .seconds(15 * 60)
    ) {
        self.login = login
        self.payment = payment
        self.restore = restore
        self.reconciliation = reconciliation
    }
}
