public import PaymentCore
public import SandboxControl

/// The controls of tests. Latency and outages do not apply to them.
extension SandboxService: StoreTestControl {
    /// The current settings.
    public func testSettings() async -> StoreTestSettings {
        await read { store, _ in store.settings }
    }

    /// Changes the given settings.
    public func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        try await perform { $0.applyTestSettings(change, $1) }.get()
    }

    /// A page of all orders, oldest first. A deleted order does not name a page any more.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        try await read { store, _ throws(TestFailure) in
            try store.state.testOrders(page: page, limit: limit)
        }
    }

    /// Runs a control for an account.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try await self.control { $0.run(control, account: account, $1) }
    }

    /// The state of the clock.
    public func testClock() async -> TestClock {
        await read { $0.state.testClock(at: $1) }
    }

    /// Advances the clock to the next due event, but not beyond `limit`.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        try await control { $0.advanceClock(to: limit, $1) }
    }

    /// The state as the journal has it, for tools and snapshots.
    public func durableState() async throws(StoreFailure) -> SandboxState {
        try await makeAllDurable()
        return store.state
    }

    private func control<Answer>(
        _ call: (inout EmbeddedStore, StoreContext) -> StoreStep<Answer, TestFailure>
    ) async throws(TestFailure) -> Answer {
        let answer: Result<Answer, TestFailure>
        do throws(StoreFailure) {
            answer = try await perform(call)
        } catch {
            throw .store(error)
        }
        return try answer.get()
    }
}
