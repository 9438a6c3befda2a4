public import PaymentCore
public import SandboxControl

/// The controls of tests for a sandbox in the turns of an engine. A control answers after the
/// commit of its change and of every earlier change that its answer may show. Latency and outages
/// do not apply to controls.
public struct LocalSandboxControl: StoreTestControl {
    private let sandbox: LocalSandbox
    private let turns: any LocalStoreTurns

    /// Creates the controls.
    ///
    /// - Parameters:
    ///   - sandbox: The store.
    ///   - turns: The engine that the store runs in.
    public init(of sandbox: LocalSandbox, in turns: any LocalStoreTurns) {
        self.sandbox = sandbox
        self.turns = turns
    }

    /// The current settings; the defaults if the engine has stopped.
    public func testSettings() async -> StoreTestSettings {
        await look { store, _ in store.settings } ?? StoreTestSettings()
    }

    /// Changes the given settings.
    public func applyTestSettings(
        _ change: StoreTestSettingsChange
    ) async throws(StoreFailure) -> StoreTestSettings {
        try await turn { $0.applyTestSettings(change, $1) }.get()
    }

    /// A page of all orders, oldest first. A deleted order does not name a page any more.
    public func testOrders(
        page: OpaqueText?, limit: Int
    ) async throws(TestFailure) -> (orders: [StoreOrder], next: OpaqueText?) {
        try await control { store, _ in
            StoreStep(
                answer: Result { () throws(TestFailure) in
                    try store.state.testOrders(page: page, limit: limit)
                }, effects: StoreEffects())
        }
    }

    /// Runs a control for an account.
    public func run(
        _ control: TestControl, account: AccountName?
    ) async throws(TestFailure) -> StoreOrder? {
        try await self.control { $0.run(control, account: account, $1) }
    }

    /// The state of the clock; that of a new store if the engine has stopped.
    public func testClock() async -> TestClock {
        await look { $0.state.testClock(at: $1) }
            ?? SandboxState().testClock(at: Timestamp(milliseconds: 0))
    }

    /// Advances the clock to the next due event, but not beyond `limit`.
    public func advanceTestClock(to limit: Timestamp) async throws(TestFailure) -> TestClock {
        try await control { $0.advanceClock(to: limit, $1) }
    }

    /// Replaces the catalogue.
    public func use(_ catalogue: StoreCatalogue) async {
        await withCheckedContinuation { done in
            turns.run { [sandbox] _ in
                ((), sandbox.use(catalogue))
            } whenCommitted: { (_: Void?) in
                done.resume()
            }
        }
    }

    /// Reads from the store; nil if the engine has stopped.
    private func look<Answer: Sendable>(
        _ body: @escaping @Sendable (EmbeddedStore, Timestamp) -> Answer
    ) async -> Answer? {
        let result = try? await turn { store, context in
            StoreStep<Answer, StoreFailure>(
                answer: .success(body(store, context.now)), effects: StoreEffects())
        }
        return try? result?.get()
    }

    private func control<Answer: Sendable>(
        _ call:
            @escaping @Sendable (inout EmbeddedStore, StoreContext) -> StoreStep<
                Answer, TestFailure
            >
    ) async throws(TestFailure) -> Answer {
        let answer: Result<Answer, TestFailure>
        do throws(StoreFailure) {
            answer = try await turn(call)
        } catch {
            throw .store(error)
        }
        return try answer.get()
    }

    /// Runs a call in a turn of the engine.
    private func turn<Answer: Sendable, Failure>(
        _ call:
            @escaping @Sendable (inout EmbeddedStore, StoreContext) -> StoreStep<
                Answer, Failure
            >
    ) async throws(StoreFailure) -> Result<Answer, Failure> {
        let result: Result<Answer, Failure>? = await withCheckedContinuation { done in
            turns.run { [sandbox] now in
                sandbox.run(at: now, call)
            } whenCommitted: {
                done.resume(returning: $0)
            }
        }
        guard let result else {
            throw StoreFailure(.serviceUnavailable, "the sandbox was closed")
        }
        return result
    }
}
