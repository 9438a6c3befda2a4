import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// The handlers of `test.get`, `test.set`, `test.orders` and the clock of the sandbox.
struct TestHandlers: Handlers {
    let context: HandlerContext
    let store: StoreControl

    func register(in methods: MethodTable) {
        methods.register(TestGet.self, testGet, check: store.check)
        methods.register(TestSet.self, testSet, check: store.check)
        methods.register(TestOrders.self, testOrders, check: store.check)
        methods.register(TestClockGet.self, testClockGet, check: store.check)
        methods.register(TestClockAdvance.self, testClockAdvance, check: store.check)
    }

    func testGet(
        _ params: TestGet.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestGet.Result> {
        try store.ask(describe: { (failure: StoreFailure) in failure.errorObject() }) {
            control throws(StoreFailure) in
            TestGet.Result(settings: await control.testSettings())
        }
    }

    func testSet(
        _ params: TestSet.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestSet.Result> {
        let change = params.change
        let engine = engine
        return try store.ask(describe: { (failure: StoreFailure) in failure.errorObject() }) {
            control throws(StoreFailure) in
            TestGet.Result(settings: try await control.applyTestSettings(change))
        } whenDone: { _ in
            engine.store.sessions.useKnown()
            // The store reports its new texts after the reply. They apply before, so that a call
            // after the reply sees them.
            engine.store.catalogues.useKnown()
        }
    }

    func testOrders(
        _ params: TestOrders.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestOrders.Result> {
        // Each order has fewer bytes than this, so that a page of orders fits into a reply.
        let most = max(1, limits.replyLineBytes / 2 / largestOrderBytes)
        let limit = min(params.limit, most)
        return try store.ask(describe: { (failure: TestFailure) in failure.errorObject() }) {
            control throws(TestFailure) in
            let page = try await control.testOrders(page: params.page, limit: limit)
            return TestOrders.Result(orders: page.orders, next: page.next?.string)
        }
    }

    func testClockGet(
        _ params: TestClockGet.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestClockGet.Result> {
        try store.ask(describe: { (failure: TestFailure) in failure.errorObject() }) {
            control throws(TestFailure) in
            TestClockGet.Result(clock: await control.testClock())
        }
    }

    func testClockAdvance(
        _ params: TestClockAdvance.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestClockAdvance.Result> {
        guard let control = store.control else { throw Failures.notSupportedByStore }
        return .later { call in
            ClockAdvance(context, store.feed, control, params.span, call).begin()
        }
    }

    /// An upper bound of an order on the wire in bytes, with the longest names and tokens in
    /// escapes.
    private var largestOrderBytes: Int { 4608 + 6 * limits.appAccountTokenBytes }
}
