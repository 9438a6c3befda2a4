import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON

@testable import PaymentServer

/// The methods that the engine knows, with the parameters and the results of the contract.
extension EngineWire {
    typealias Outcome = Result<JSONValue, ErrorObject>
    var engine: PaymentEngine { stage.engine }

    /// Runs a method.
    ///
    /// - Returns: What it answers, or nil if it answers later.
    func outcome(
        of method: String, _ params: [UInt8], _ id: JSONValue
    ) throws -> Result<JSONValue, ErrorObject>? {
        switch method {
        case "add": try run(AddPayment.self, params, add)
        case "finish": try run(FinishTransaction.self, params, finish)
        case "logout":
            .success(Logout.Result(sequence: engine.logOut(origin: Samples.origin)).jsonValue)
        case "subscribe": try run(Subscribe.self, params, subscribe)
        case "unsubscribe": try run(Unsubscribe.self, params, unsubscribe)
        case "transactions": try run(Transactions.self, params, transactions)
        case "login": try logIn(decoded(Login.self, params), id)
        case "wait": try wait(decoded(WaitForTransaction.self, params), id)
        case "events": try events(decoded(Events.self, params), id)
        case "test.set": try testSet(decoded(TestSet.self, params), id)
        case "test.orders": try testOrders(decoded(TestOrders.self, params), id)
        default: throw Unexpected("the engine does not know \(method)")
        }
    }

    func decoded<M: Method>(_ method: M.Type, _ params: [UInt8]) throws -> M.Params {
        var tape = JSONTape()
        try tape.scan(params.span)
        return try M.call(tape, params: 0, in: params.span).params
    }

    func run<M: Method>(
        _ method: M.Type, _ params: [UInt8], _ body: (M.Params) throws(ErrorObject) -> M.Result
    ) throws -> Outcome {
        let decoded = try decoded(method, params)
        do throws(ErrorObject) {
            return .success(try body(decoded).jsonValue)
        } catch {
            return .failure(error)
        }
    }

    private func add(_ params: AddRequest) throws(ErrorObject) -> AddPayment.Result {
        do throws(EngineRefusal) {
            let reply = try engine.add(params, origin: Samples.origin)
            return AddPayment.Result(
                transaction: reply.transaction.id, state: reply.transaction.state.phase,
                waitingFor: reply.waitingFor, sequence: reply.sequence,
                isDuplicate: reply.isDuplicate, removed: reply.removed)
        } catch {
            throw error.errorObject()
        }
    }

    private func finish(
        _ params: FinishTransaction.Params
    ) throws(ErrorObject) -> FinishTransaction.Result {
        guard let id = params.transaction.id else {
            throw Failures.unknownTransaction(params.transaction)
        }
        do throws(EngineRefusal) {
            let answer = try engine.finish(id, origin: Samples.origin)
            return FinishTransaction.Result(
                transaction: id, disposition: answer.disposition, sequence: answer.sequence)
        } catch {
            throw error.errorObject(naming: params.transaction)
        }
    }

    private func subscribe(_ params: Subscribe.Params) -> Subscribe.Result {
        let subscription = engine.subscribe(
            SubscriptionRequest(
                after: params.after.map(position), kinds: params.filter.recordKinds,
                products: params.filter.products, isPassive: params.isPassive,
                heartbeat: params.heartbeat,
                onGap: params.onGap == .snapshot ? .snapshot : .end),
            sink: self)
        subscriptions.append(subscription)
        return Subscribe.Result(
            subscription: SubscriptionID(subscription.number), epoch: engine.journal.epoch,
            oldest: engine.journal.oldest, head: engine.queue.head)
    }

    private func unsubscribe(_ params: Unsubscribe.Params) -> Unsubscribe.Result {
        let subscription = subscriptions.first { $0.number == params.subscription?.number }
        if let subscription { engine.unsubscribe(subscription) }
        subscriptions.removeAll { $0 === subscription }
        return Unsubscribe.Result(last: subscription?.previous)
    }

    private func transactions(_ params: Transactions.Params) -> Transactions.Result {
        var entries: [Transactions.Result.Entry] = []
        engine.queue.forEachUnfinished { transaction, _, _ in
            entries.append(
                .init(
                    transaction: transaction,
                    waitingFor: engine.queue.waitingFor(transaction)))
            return true
        }
        return Transactions.Result(entries: entries, sequence: engine.queue.head)
    }

    private func position(_ cursor: Cursor) -> SequenceNumber {
        switch cursor {
        case .after(let position): position
        case .start: engine.journal.oldest - 1
        case .now: engine.queue.head
        }
    }

    private func logIn(_ params: Login.Params, _ id: JSONValue) -> Outcome? {
        let reply = Later(wire: self, id: id)
        engine.logIn(
            account: params.account ?? "", credential: params.credential, origin: Samples.origin
        ) { result in
            switch result {
            case .success((let session, let sequence)):
                reply.give(.success(Login.Result(session: session, sequence: sequence).jsonValue))
            case .failure(let refusal): reply.give(.failure(refusal.errorObject()))
            }
        }
        return nil
    }

    private func wait(_ params: WaitForTransaction.Params, _ id: JSONValue) -> Outcome? {
        guard case .transaction(let reference) = params.subject else { return nil }
        guard let transaction = reference.id, let known = engine.queue.transaction(transaction),
            engine.queue.isVisible(known.account)
        else { return .failure(Failures.unknownTransaction(reference)) }
        let start = engine.wait(
            for: transaction, until: WaitCondition(params.until),
            answer: { [self] in answer(id, waited(transaction, isReached: $0)) })
        switch start {
        case .now(let reached): return waited(transaction, isReached: reached)
        case .later(let waiter):
            let reply = Later(wire: self, id: id)
            _ = stage.loop.schedule(after: params.timeout) {
                reply.wire.engine.cancelWait(waiter)
                reply.give(reply.wire.waited(transaction, isReached: false))
            }
            return nil
        }
    }

    private func waited(_ id: TransactionID, isReached: Bool) -> Outcome {
        guard let transaction = engine.queue.transaction(id) else {
            return .failure(Failures.unknownTransaction(.id(id)))
        }
        let finish = engine.queue.finish(of: id)
        let entry = Transactions.Result.Entry(
            transaction: transaction,
            waitingFor: finish == nil ? engine.queue.waitingFor(transaction) : nil,
            finish: finish)
        return .success(
            WaitForTransaction.Result(
                entry: entry, isReached: isReached, sequence: engine.queue.head
            ).jsonValue)
    }

    private func events(_ params: Events.Params, _ id: JSONValue) throws -> Outcome? {
        let after = min(position(params.after), engine.durableHead)
        let page = try page(params, after)
        guard page.isEmpty, params.wait != nil else { return .success(listed(page)) }
        let reply = Later(wire: self, id: id)
        _ = engine.waitForRecord {
            reply.give(.success(reply.wire.listed((try? reply.wire.page(params, after)) ?? [])))
        }
        return nil
    }

    private func page(_ params: Events.Params, _ after: SequenceNumber) throws -> [Record] {
        try engine.visibleRecords(
            after: after, limit: params.limit, kinds: params.filter.recordKinds
        ).records
    }

    private func listed(_ records: [Record]) -> JSONValue {
        Events.Result(
            entries: records.map { .init(record: $0, waitingFor: engine.waitingFor($0)) },
            next: records.last?.sequence ?? engine.durableHead, head: engine.durableHead,
            epoch: engine.journal.epoch
        ).jsonValue
    }
}

/// A reply that is given later, once.
///
/// Proof: wire and loop are used on the test's thread only.
final class Later: @unchecked Sendable {
    let wire: EngineWire
    private let id: JSONValue
    private var isGiven = false

    init(wire: EngineWire, id: JSONValue) {
        self.wire = wire
        self.id = id
    }

    func give(_ outcome: Result<JSONValue, ErrorObject>) {
        guard !isGiven else { return }
        isGiven = true
        wire.answer(id, outcome)
    }
}
