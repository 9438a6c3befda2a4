public import PaymentCore
import PaymentSandbox
public import SandboxControl
import Synchronization

extension ScriptedBackend: StoreTestControl {
    /// The settings in force; latency is not applied.
    public func testSettings() async -> StoreTestSettings {
        contents.withLock { SaleRules($0.state, $0.store).settings }
    }

    /// Changes the settings that are given.
    public func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        do {
            try change.validate()
        } catch {
            throw StoreFailure(.internalError, error.description)
        }
        contents.withLock { contents in
            let after = SaleRules(contents.state, contents.store).settings(after: change)
            let rate = contents.state.decide(rateOf: after, at: contents.time)
            return Self.happen([rate, .settingsChanged(change)].compactMap { $0 }, in: &contents)
        }()
        return await testSettings()
    }

    /// A page of every order, oldest first.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        try contents.withLock { contents throws(TestFailure) in
            try contents.state.testOrders(page: page, limit: limit)
        }
    }

    /// Runs a control, by the rules of the sandbox.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try self.control(control, account: account)
    }

    /// The clock; it goes on by a millisecond with each call.
    public func testClock() async -> TestClock {
        contents.withLock { $0.state.testClock(at: $0.time) }
    }

    /// Moves the clock on to the next event.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        contents.withLock { contents in
            let events = SaleRules(contents.state, contents.store).decideAdvance(
                to: limit, as: Self.freshID(in: &contents), at: contents.time)
            return Self.happen(events, in: &contents)
        }()
        return await testClock()
    }
}

extension ScriptedBackend {
    /// Runs a control and tells whoever listens.
    func control(
        _ control: TestControl, account: AccountName?
    ) throws(TestFailure) -> StoreOrder? {
        let (order, tell) = try contents.withLock {
            contents throws(TestFailure) -> (StoreOrder?, @Sendable () -> Void) in
            let decision = try ControlRules(contents.state, contents.store).decide(
                control, account: account, as: Self.freshID(in: &contents),
                at: contents.time)
            let before = decision.order.flatMap { contents.state.order($0)?.order }
            let tell = Self.happen(decision.events, in: &contents)
            return (decision.order.flatMap { contents.state.order($0)?.order } ?? before, tell)
        }
        tell()
        return order
    }

    /// Applies events.
    ///
    /// - Returns: Tells the listeners; to be called when the contents are free again.
    private static func happen(
        _ events: [SandboxEvent], in contents: inout Contents
    ) -> @Sendable () -> Void {
        var changes: Set<StoreChange> = []
        for event in events {
            changes.formUnion(event.changes(in: contents.state))
            contents.state.apply(event)
        }
        let (told, listeners) = (changes, contents.listeners)
        return {
            for listener in listeners { for change in told { listener(change) } }
        }
    }

    static func freshID(in contents: inout Contents) -> OrderID {
        OrderID(
            UniqueID(
                randomHigh: contents.random.next(), randomLow: contents.random.next()))
    }
}
