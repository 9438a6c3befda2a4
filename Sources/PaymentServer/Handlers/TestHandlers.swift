import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// `test.get`, `test.set`, `test.orders`: the controls of the sandbox.
extension ServerCore {
    func testGet(
        _ params: TestGet.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestGet.Result> {
        try askStore(request) { control in TestGet.Result(settings: await control.testSettings()) }
    }

    func testSet(
        _ params: TestSet.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestSet.Result> {
        let change: StoreTestSettingsChange
        do throws(InvalidParameters) {
            change = try params.resolved(facts.country)
        } catch {
            throw error.errorObject
        }
        let engine = engine
        return try askStore(request) { control throws(StoreFailure) in
            TestGet.Result(settings: try await control.applyTestSettings(change))
        } whenDone: { result in
            engine.storeChanged(
                paymentsAllowed: change.paymentsAllowed, country: change.storefront)
        }
    }

    func testOrders(
        _ params: TestOrders.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<TestOrders.Result> {
        try askStore(request) { control in
            let page = try? await control.testOrders(page: params.page, limit: params.limit)
            return TestOrders.Result(orders: page?.orders ?? [], next: page?.next?.string)
        }
    }

    /// Asks the store in a task of its own; the call waits for it without holding up the loop.
    private func askStore<Result: WireResult>(
        _ request: Request,
        _ ask: @escaping @Sendable (any StoreTestControl) async throws(StoreFailure) -> Result,
        whenDone: @escaping @Sendable (Result) -> Void = { _ in }
    ) throws(ErrorObject) -> Answer<Result> {
        guard let testControl else { throw Failures.notSupportedByStore }
        return .later { [eventLoop] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            // Unstructured because the turn must not wait; it ends with the store's answer.
            Task {
                do throws(StoreFailure) {
                    let result = try await ask(testControl)
                    eventLoop.execute {
                        whenDone(result)
                        bound.value.succeed(result)
                    }
                } catch {
                    eventLoop.execute { bound.value.fail(error.errorObject()) }
                }
            }
        }
    }
}
