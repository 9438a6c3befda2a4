import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// The handlers of `decide`, and of the sandbox controls that make or change orders.
struct ControlHandlers: Handlers {
    let context: HandlerContext
    let store: StoreControl

    func register(in methods: MethodTable) {
        methods.register(Decide.self, decide, check: checkDecide)
        for control in Contract.controls { register(control, in: methods) }
    }

    /// The maximum time in which the queue receives a decision from a store that does not answer.
    /// After it the call is answered with the state that the queue has.
    private static let patience = Duration.seconds(5)

    func decide(
        _ params: Decide.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Decide.Result> {
        let transaction = try decidable(params, request)
        let id = transaction.id
        let phase = transaction.state.phase
        let account = transaction.account
        let withEnded = request.seesEnded
        let handlers = NIOLoopBound(self, eventLoop: context.eventLoop)
        let decision = TestControl.decide(
            .transaction(id), approved: params.outcome == .approve)
        return try store.ask(describe: { (failure: TestFailure) in
            switch failure {
            case .noSuchOrder, .noSubscription, .notDecidable:
                Failures.notDecidable(id, state: phase)
            case .unknownProduct, .notLoggedIn, .pageExpired, .store: failure.errorObject()
            }
        }) { control throws(TestFailure) in
            try await control.run(decision, account: account)
        } answering: { call, _ in
            handlers.value.answerWhenSettled(call, id, withEnded: withEnded)
        }
    }

    private func checkDecide(_ params: Decide.Params, _ request: Request) throws(ErrorObject) {
        _ = try decidable(params, request)
    }

    /// The transaction of a `decide` call. It must be purchasing.
    private func decidable(
        _ params: Decide.Params, _ request: Request
    ) throws(ErrorObject) -> Transaction {
        guard store.control != nil else { throw Failures.notSupportedByStore }
        guard let id = params.transaction.id,
            let entry = try visibleEntry(id, withEnded: request.seesEnded)
        else { throw Failures.unknownTransaction(params.transaction) }
        let phase = entry.transaction.state.phase
        guard entry.finish == nil, phase == .purchasing else {
            throw Failures.notDecidable(id, state: phase)
        }
        return entry.transaction
    }

    private func register<Control: ControlMethod>(
        _ control: Control.Type, in methods: MethodTable
    ) {
        methods.register(
            control,
            { params, _ throws(ErrorObject) -> Answer<OrderResult> in
                switch control.request(params) {
                case .run(let control): try run(control)
                case .onOrder(let naming, let control):
                    try run(control(reference(naming)), naming: naming.text)
                }
            },
            check: { params, request throws(ErrorObject) in
                try store.check(params, request)
                if case .onOrder(let naming, _) = control.request(params) {
                    _ = try reference(naming)
                }
            })
    }

    /// The reference of an order at the store. A transaction that was restored, or that the store
    /// reported, is unknown to the store by its own identifier, so its order is used.
    private func reference(_ naming: OrderNaming) throws(ErrorObject) -> OrderReference {
        guard let reference = naming.reference else {
            throw store.control == nil
                ? Failures.notSupportedByStore : Failures.noSuchOrder(naming.text)
        }
        guard case .transaction(let id) = reference,
            let order = try translatingRefusal({ () throws(EngineRefusal) in
                try engine.reader.transaction(id)?.transaction.order
            })
        else { return reference }
        return .order(order)
    }

    /// Runs a control on behalf of the account in session.
    private func run(
        _ control: TestControl, naming: OpaqueText? = nil
    ) throws(ErrorObject) -> Answer<OrderResult> {
        let account = engine.queue.session?.account
        return try store.ask(describe: { (failure: TestFailure) in
            failure.errorObject(naming: naming)
        }) { store throws(TestFailure) in
            OrderResult(order: try await store.run(control, account: account))
        }
    }

    /// Answers when the transaction is settled. It answers at once if the transaction is settled
    /// already, or if its account is not in session: the queue then receives the decision when the
    /// account is back.
    private func answerWhenSettled(
        _ call: WaitingCall, _ id: TransactionID, withEnded: Bool
    ) {
        guard !call.isDone else { return }
        guard (try? visibleEntry(id, withEnded: false)) != nil else {
            return answerDecided(call, id, withEnded: withEnded)
        }
        let start = engine.reader.wait(for: id, until: .settled) { [self] _ in
            answerDecided(call, id, withEnded: withEnded)
        }
        guard case .later(let waiter) = start else {
            return answerDecided(call, id, withEnded: withEnded)
        }
        call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
        call.schedule(after: Self.patience, on: context.loop) { [self] in
            engine.reader.cancel(waiter)
            answerDecided(call, id, withEnded: withEnded)
        }
    }

    private func answerDecided(_ call: WaitingCall, _ id: TransactionID, withEnded: Bool) {
        do throws(ErrorObject) {
            guard let entry = try visibleEntry(id, withEnded: withEnded) else {
                throw Failures.unknownTransaction(.id(id))
            }
            call.succeed(
                Decide.Result(
                    transaction: id, state: entry.transaction.state.phase,
                    sequence: engine.queue.head))
        } catch {
            call.fail(error)
        }
    }
}
