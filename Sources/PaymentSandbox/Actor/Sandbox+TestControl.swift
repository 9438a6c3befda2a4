public import PaymentCore
public import SandboxControl

/// Test controls. They act at once, without simulated latency or outages.
extension Sandbox: StoreTestControl {
    /// The current settings.
    public func testSettings() async -> StoreTestSettings {
        await settle()
        return settings
    }

    /// Changes the given settings durably. Existing orders keep their state.
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
        catchUp()
        if change != StoreTestSettingsChange() {
            let after = sales.settings(after: change)
            if let rate = state.decide(rateOf: after, at: time()) { record(rate) }
            record(.settingsChanged(change))
        }
        let settings = settings
        try await makeDurable()
        armTimer()
        return settings
    }

    /// A page of all orders, oldest first. A page token expires when its order is deleted.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        await settle()
        return try state.testOrders(page: page, limit: limit)
    }

    /// Runs a control, after all events that are due.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try await durably()
        catchUp()
        let id = freshOrderID()
        let decision = try ControlRules(state, store).decide(
            control, account: account, as: id, at: time())
        let before = decision.order.flatMap { state.order($0)?.order }
        for event in decision.events { record(event) }
        let order = decision.order.flatMap { state.order($0)?.order } ?? before
        try await durably()
        armTimer()
        return order
    }

    /// The clock.
    public func testClock() async -> TestClock {
        await settle()
        return state.testClock(at: time())
    }

    /// Advances the clock to the next due event, or to the limit if no event is due by then. The
    /// clock never goes back.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        try await durably()
        let id = freshOrderID()
        for event in sales.decideAdvance(to: limit, as: id, at: time()) {
            record(event)
        }
        let clock = state.testClock(at: time())
        try await durably()
        armTimer()
        return clock
    }

    /// The durable state, as in the journal, for tools and snapshots.
    public func durableState() async throws(StoreFailure) -> SandboxState {
        try await makeAllDurable()
        return state
    }

    /// Calls ``makeDurable()`` and converts its failure for a control.
    private func durably() async throws(TestFailure) {
        do {
            try await makeDurable()
        } catch {
            throw .store(error)
        }
    }

    /// Waits for the commit of all recorded events. A failure is ignored here, because the lists
    /// that use this must show the state of the store anyway.
    func settle() async {
        try? await makeAllDurable()
    }
}
