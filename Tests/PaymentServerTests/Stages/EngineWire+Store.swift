import JSONRPC
import PaymentAPI
import PaymentBackend
import PaymentCore
import PaymentEngine
import StrictJSON

@testable import PaymentServer

/// The controls of the store, as the server has them.
extension EngineWire {
    func testSet(_ params: TestSet.Params, _ id: JSONValue) throws -> Outcome? {
        let change = try params.resolved { Countries.code($0) }
        ask(id) { sandbox throws(StoreFailure) in
            TestGet.Result(settings: try await sandbox.applyTestSettings(change))
        } whenDone: { engine in
            engine.storeChanged(
                paymentsAllowed: change.paymentsAllowed, country: change.storefront)
        }
        return nil
    }

    func testOrders(_ params: TestOrders.Params, _ id: JSONValue) throws -> Outcome? {
        ask(id) { sandbox in
            TestOrders.Result(
                orders: (try? await sandbox.testOrders(page: nil, limit: .max))?.orders ?? [])
        }
        return nil
    }

    private func ask<Result: WireResult>(
        _ id: JSONValue,
        _ body: @escaping @Sendable (Sandbox) async throws(StoreFailure) -> Result,
        whenDone: @escaping @Sendable (PaymentEngine) -> Void = { _ in }
    ) {
        let reply = Later(wire: self, id: id)
        stage.store.call { sandbox in
            do throws(StoreFailure) {
                let result = try await body(sandbox)
                whenDone(reply.wire.engine)
                reply.give(.success(result.jsonValue))
            } catch {
                reply.give(.failure(error.errorObject()))
            }
        }
    }
}
