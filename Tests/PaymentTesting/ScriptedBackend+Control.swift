public import PaymentCore
import PaymentSandbox
public import SandboxControl
import Synchronization

extension ScriptedBackend: StoreTestControl {
    /// The current settings; latency is not applied.
    public func testSettings() async -> StoreTestSettings {
        contents.withLock { $0.store.settings }
    }

    /// Changes the settings that are given.
    public func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        try perform { $0.applyTestSettings(change, $1) }
    }

    /// A page of every order, oldest first.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        try contents.withLock { contents throws(TestFailure) in
            try contents.store.state.testOrders(page: page, limit: limit)
        }
    }

    /// Runs a control, by the rules of the sandbox.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try self.control(control, account: account)
    }

    /// The clock; each call of the store advances it by a millisecond.
    public func testClock() async -> TestClock {
        contents.withLock { $0.store.state.testClock(at: $0.time) }
    }

    /// Advances the clock to the next event.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        try perform { $0.advanceClock(to: limit, $1) }
    }
}

extension ScriptedBackend {
    /// Runs a control and notifies the listeners.
    func control(
        _ control: TestControl, account: AccountName?
    ) throws(TestFailure) -> StoreOrder? {
        try perform { $0.run(control, account: account, $1) }
    }

    /// Runs a control, then notifies the listeners, which may call the store.
    private func perform<Answer, Failure>(
        _ call: (inout EmbeddedStore, StoreContext) -> StoreStep<Answer, Failure>
    ) throws(Failure) -> Answer {
        let (step, listeners) = contents.withLock { contents in
            (call(&contents.store, contents.context), contents.listeners)
        }
        for listener in listeners {
            for change in step.effects.changes { listener(change) }
        }
        return try step.answer.get()
    }
}
