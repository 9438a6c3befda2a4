public import PaymentCore

/// Controls act at once, whatever latency or outage they have set.
extension Sandbox: StoreTestControl {
    /// The settings in force.
    public func testSettings() async -> StoreTestSettings {
        await settle()
        return settings
    }

    /// Changes the settings that are given, durably. Orders that exist keep their fate.
    ///
    /// - Throws: `internalError` for a value that ``StoreTestSettingsChange/validate()`` refuses.
    public func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        do {
            try change.validate()
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
        try await makeDurable()
        if change != StoreTestSettingsChange() { record(.settingsChanged(change), at: time()) }
        let settings = settings
        try await makeDurable()
        return settings
    }

    /// A page of every order, oldest first.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        await settle()
        return (state.orders.map(\.order), nil)
    }

    /// Runs a control.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        throw .store(StoreFailure(.internalError, "to be built"))
    }

    /// The clock.
    public func testClock() async -> TestClock { TestClock(now: time(), nextEventAt: nil) }

    /// Moves the clock.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        throw .store(StoreFailure(.internalError, "to be built"))
    }

    /// Approves or refuses a deferred order. Saying the same again changes nothing.
    ///
    /// - Returns: The outcome, as a submission with the same transaction will hear it.
    /// - Throws: `internalError` if there is no such order or it was decided otherwise.
    public func decideDeferred(
        _ transaction: TransactionID, approved: Bool
    ) async throws(StoreFailure) -> OrderOutcome {
        try await makeDurable()
        if let event = try state.decide(approval: approved, of: transaction) {
            record(event, at: time())
        }
        guard let outcome = state.order(of: transaction)?.order.outcome else {
            preconditionFailure("an order vanished while it was decided")
        }
        try await makeDurable()
        return outcome
    }

    /// The state as the journal holds it, for tools and snapshots.
    public func durableState() async throws(StoreFailure) -> SandboxState {
        try await makeAllDurable()
        return state
    }

    /// Waits for the commit of what is open. Its failure is left to the calls that can throw it:
    /// these lists are for people who want to see what the store has.
    private func settle() async {
        try? await makeAllDurable()
    }
}
