import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// The handlers of `add`, `finish`, `transactions` and `check`.
struct QueueHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(AddPayment.self, add, check: checkAdd)
        methods.register(FinishTransaction.self, finish, check: checkFinish)
        methods.register(Transactions.self, transactions, check: checkTransactions)
        methods.registerCheck()
    }

    func add(
        _ params: AddPayment.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<AddPayment.Result> {
        try context.admitWork(params.key)
        if params.key == nil { context.counters.keylessAdds += 1 }
        // In a batch no agent is asked for a login; the payment waits for the next login.
        let acceptsAtOnce = request.isInBatch && engine.login.asksForLogin
        if engine.login.asks(before: params), !acceptsAtOnce {
            guard !request.isInBatch else { throw Failures.waitInBatch }
            let origin = request.origin
            return later({ AddPayment.Result($0) }) { [engine] in
                engine.login.addAfterLogin(params, origin: origin, answer: $0)
            }
        }
        return .now(
            AddPayment.Result(
                try translatingRefusal { () throws(EngineRefusal) in
                    try engine.commands.add(params, origin: request.origin)
                }))
    }

    private func checkAdd(_ params: AddPayment.Params, _ request: Request) throws(ErrorObject) {
        try context.admitWork(params.key)
        try translatingRefusal { () throws(EngineRefusal) in
            try engine.commands.check(params, origin: request.origin)
        }
    }

    private func checkFinish(
        _ params: FinishTransaction.Params, _ request: Request
    ) throws(ErrorObject) {
        let unknown = Failures.unknownTransaction(params.transaction)
        guard let id = params.transaction.id else { throw unknown }
        let known = try translatingRefusal { () throws(EngineRefusal) in
            try engine.reader.transaction(id)
        }
        guard known != nil else { throw unknown }
    }

    func finish(
        _ params: FinishTransaction.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<FinishTransaction.Result> {
        guard let id = params.transaction.id else {
            throw Failures.unknownTransaction(params.transaction)
        }
        let answer = try translatingRefusal(naming: params.transaction) {
            () throws(EngineRefusal) in
            try engine.commands.finish(id, origin: request.origin)
        }
        return .now(
            FinishTransaction.Result(
                transaction: id, disposition: answer.disposition, sequence: answer.sequence))
    }

    private func checkTransactions(
        _ params: Transactions.Params, _ request: Request
    ) throws(ErrorObject) {
        guard params.ids == nil else { return }
        _ = try TransactionPager(params, incarnation: engine.queue.incarnation)
    }

    func transactions(
        _ params: Transactions.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Transactions.Result> {
        if let ids = params.ids {
            let lookup = TransactionLookup(ids, params, request, self)
            // A batch cannot wait for another slice.
            try lookup.advance(until: request.isInBatch ? nil : .now() + TurnLimit.slice / 2)
            if lookup.isDone { return .now(lookup.page) }
            return .later { call in lookup.begin(for: call) }
        }
        let sequence = engine.queue.head
        let withEnded = request.seesEnded
        var pager = try TransactionPager(params, incarnation: engine.queue.incarnation)
        let entries = try translatingRefusal { () throws(EngineRefusal) in
            try pager.nextPage(
                of: engine, withEnded: withEnded, byteLimit: limits.replyLineBytes / 2)
        }
        return .now(
            Transactions.Result(entries: entries, sequence: sequence, next: pager.nextToken))
    }
}

extension Request {
    /// Whether the caller sees transactions that wait because the store ended a session. An administrator
    /// does.
    var seesEnded: Bool { connection.caller.roles.contains(.admin) }
}

extension AddPayment.Result {
    init(_ reply: AddReply) {
        self.init(
            transaction: reply.transaction.id, state: reply.transaction.state.phase,
            waitingFor: reply.waitingFor, sequence: reply.sequence,
            isDuplicate: reply.isDuplicate, removed: reply.removed)
    }
}
