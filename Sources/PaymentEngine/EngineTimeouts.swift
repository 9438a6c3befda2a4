/// The times that the engine waits for persons and for the store before it continues without them.
///
/// They run on the loop's clock, never on the time of day.
public struct EngineTimeouts: Sendable, Hashable {
    /// How long a login question may stay open before the calls behind it are refused; the login
    /// agents share it.
    public var login: Duration
    /// How long a payment question may stay open before the payment fails; the payment agents share it.
    public var payment: Duration
    /// How long a restore may take once an observer and an account are there.
    public var restore: Duration
    /// How long after one reconciliation with the store the next one begins.
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
