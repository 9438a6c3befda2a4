import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl

/// `decide`, and the controls of the sandbox that make or change orders.
struct ControlHandlers: Handlers {
    let context: HandlerContext
    let store: StoreControl

    func register(in methods: MethodTable) {
        methods.register(Decide.self, decide, check: checkDecide)
        for control in Contract.controls { register(control, in: methods) }
    }

    /// How long the queue may take to hear of a decision from a store that does not answer it; then
    /// the call is answered by what it knows.
    private static let patience = Duration.seconds(30)

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

    /// The transaction of a decision, which must wait for one.
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

    /// An order of the store. A transaction that was restored, or that came from the store, is not
    /// known there by its own name, but by that of its order.
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

    /// Answers when the transaction has been settled, at once if it is, or if its account is not in
    /// session: the queue hears of the decision when that is back.
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
