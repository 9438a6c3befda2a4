import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentSandbox
import PaymentTesting
import SandboxControl
import StrictJSON

@testable import PaymentServer

/// The controls of the store, as the server has them.
extension EngineWire {
    func storeMethod(_ call: Call) throws -> Attempt? {
        let reply = Later(wire: self, id: call.id)
        return switch call.method {
        case "test.get":
            try call.start(TestGet.self) { _ in
                ask(reply) { TestGet.Result(settings: await $0.testSettings()) }
            }
        case "test.set": try set(call, reply)
        case "test.orders":
            try call.start(TestOrders.self) { _ in
                ask(reply) { sandbox throws(TestFailure) in
                    let page = try await sandbox.testOrders(page: nil, limit: 1000)
                    return TestOrders.Result(orders: page.orders)
                }
            }
        case "test.clock.get":
            try call.start(TestClockGet.self) { _ in
                ask(reply) { TestClockGet.Result(clock: await $0.testClock()) }
            }
        case "test.clock.advance":
            try call.start(TestClockAdvance.self) { params in
                ClockSteps(reply, params.span).begin()
            }
        case "decide": try decide(call, reply)
        default: try control(call, reply)
        }
    }

    private func control(_ call: Call, _ reply: Later) throws -> Attempt? {
        switch call.method {
        case "test.buy":
            let params = try call.decoded(TestBuy.self)
            return run(.buy(params.product, appAccountToken: params.appAccountToken), reply)
        case "test.refund":
            return run(try reference(call.decoded(TestRefund.self)).map { .refund($0) }, reply)
        case "test.resolve":
            return run(try reference(call.decoded(TestResolve.self)).map { .resolve($0) }, reply)
        case "test.deleteOrder":
            return run(
                try reference(call.decoded(TestDeleteOrder.self)).map { .deleteOrder($0) }, reply)
        case "test.renew": return run(.renew(try call.decoded(TestRenew.self).product), reply)
        case "test.expire": return run(.expire(try call.decoded(TestExpire.self).product), reply)
        case "test.autoRenew":
            let params = try call.decoded(TestAutoRenew.self)
            return run(.autoRenew(params.product, params.isEnabled), reply)
        case "test.priceIncrease":
            let params = try call.decoded(TestPriceIncrease.self)
            return run(.priceIncrease(params.product, params.answer), reply)
        case "test.clear": return run(.clear, reply)
        case "test.reset": return run(.reset, reply)
        default: return nil
        }
    }

    private func set(_ call: Call, _ reply: Later) throws -> Attempt {
        let change = try call.decoded(TestSet.self).change
        ask(reply) { sandbox throws(StoreFailure) in
            TestGet.Result(settings: try await sandbox.applyTestSettings(change))
        } whenDone: { engine in
            engine.store.sessions.useKnown()
            engine.store.catalogues.useKnown()
        }
        return Attempt(outcome: nil)
    }

    private func decide(_ call: Call, _ reply: Later) throws -> Attempt {
        try call.start(Decide.self) { params throws(ErrorObject) in
            guard let id = params.transaction.id, let entry = entry(id) else {
                throw Failures.unknownTransaction(params.transaction)
            }
            let phase = entry.transaction.state.phase
            guard entry.finish == nil, phase == .purchasing else {
                throw Failures.notDecidable(id, state: phase)
            }
            let account = entry.transaction.account
            let isApproved = params.outcome == .approve
            stage.store.call { sandbox in
                do throws(TestFailure) {
                    _ = try await sandbox.run(
                        .decide(.transaction(id), approved: isApproved), account: account)
                    reply.giveSettled(id)
                } catch {
                    reply.give(.failure(error.errorObject()))
                }
            }
        }
    }

    /// An order, by the name that the store knows it by.
    private func reference(_ naming: OrderNaming) -> OrderReference? {
        guard case .transaction(let id)? = naming.reference,
            let order = engine.queue.transaction(id)?.order
        else { return naming.reference }
        return .order(order)
    }

    private func run(_ control: TestControl?, _ reply: Later) -> Attempt {
        guard let control else { return Attempt(outcome: .failure(ErrorCode.noSuchOrder.object())) }
        let account = engine.queue.session?.account
        ask(reply) { sandbox throws(TestFailure) in
            OrderResult(order: try await sandbox.run(control, account: account))
        }
        return Attempt(outcome: nil)
    }

    /// Asks the store. Its changes are told behind the reply, as the server does.
    private func ask<Result: WireResult, Failure: Error>(
        _ reply: Later,
        _ body: @escaping @Sendable (SandboxService) async throws(Failure) -> Result,
        whenDone: @escaping @Sendable (PaymentEngine) -> Void = { _ in }
    ) {
        let stage = StageBox(stage)
        stage.value.holdsChanges = true
        stage.value.store.call { sandbox in
            do throws(Failure) {
                let result = try await body(sandbox)
                whenDone(reply.wire.engine)
                reply.succeed(result)
            } catch {
                reply.give(.failure(Self.errorObject(error)))
            }
            stage.value.releaseChanges()
        }
    }

    private static func errorObject(_ error: any Error) -> ErrorObject {
        switch error {
        case let failure as StoreFailure: failure.errorObject()
        case let failure as TestFailure: failure.errorObject()
        default: ErrorCode.internalError.object()
        }
    }
}

/// Carries the stage into a closure of the store.
///
/// Proof: stage and store are used on the test's thread only.
struct StageBox: @unchecked Sendable {
    let value: EngineStage

    init(_ value: EngineStage) {
        self.value = value
    }
}

extension Later {
    /// Answers `decide` when the transaction has been settled.
    fileprivate func giveSettled(_ id: TransactionID) {
        let start = wire.engine.reader.wait(for: id, until: .settled) { [self] _ in giveDecided(id)
        }
        if case .now = start { giveDecided(id) }
    }

    private func giveDecided(_ id: TransactionID) {
        guard let entry = wire.entry(id) else {
            return give(.failure(Failures.unknownTransaction(.id(id))))
        }
        succeed(
            Decide.Result(
                transaction: id, state: entry.transaction.state.phase,
                sequence: wire.engine.queue.head))
    }
}

/// Moves the clock of the store from event to event, each of which the queue hears before the next.
///
/// Proof: see ``StageBox``.
private final class ClockSteps: @unchecked Sendable {
    private let reply: Later
    private let span: Duration
    private var target = Samples.noon
    private var count = 0

    init(_ reply: Later, _ span: Duration) {
        self.reply = reply
        self.span = span
    }

    func begin() {
        reply.wire.stage.store.call { [self] sandbox in
            let clock = await sandbox.testClock()
            target = clock.now.advanced(by: span)
            await goOn(clock, sandbox)
        }
    }

    private func goOn(_ clock: TestClock, _ sandbox: SandboxService) async {
        let isDue = clock.nextEventAt.map { $0 <= target } ?? false
        guard isDue || clock.now < target else {
            return reply.succeed(TestClockAdvance.Result(clock: clock, events: count))
        }
        if isDue { count += 1 }
        do throws(TestFailure) {
            let next = try await sandbox.advanceTestClock(to: target)
            reply.wire.engine.store.reconciliation.want { [self] in
                reply.wire.stage.store.call { [self] sandbox in await goOn(next, sandbox) }
            }
        } catch {
            reply.give(.failure(error.errorObject()))
        }
    }
}
