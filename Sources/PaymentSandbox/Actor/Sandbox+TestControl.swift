public import PaymentCore
public import SandboxControl

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

    /// A page of every order, oldest first. An order that was deleted since names no page any more.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        await settle()
        return try state.testOrders(page: page, limit: limit)
    }

    /// Runs a control; what has fallen due happens before.
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

    /// Moves the clock on to the next event that is due, or to the limit if none is due by then. It
    /// never goes back.
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

    /// The state as the journal holds it, for tools and snapshots.
    public func durableState() async throws(StoreFailure) -> SandboxState {
        try await makeAllDurable()
        return state
    }

    /// As ``makeDurable()``, with the failure of a control.
    private func durably() async throws(TestFailure) {
        do {
            try await makeDurable()
        } catch {
            throw .store(error)
        }
    }

    /// Waits for the commit of what is open. Its failure is left to the calls that can throw it:
    /// these lists are for people who want to see what the store has.
    func settle() async {
        try? await makeAllDurable()
    }
}
