import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import PaymentTesting
import StrictJSON

@testable import PaymentServer

/// Subscriptions, lists and waiting.
extension EngineWire {
    func watchingMethod(_ call: Call) throws -> Attempt? {
        let reply = Later(wire: self, id: call.id)
        return switch call.method {
        case "subscribe": try call.run(Subscribe.self, subscribe)
        case "unsubscribe": try call.run(Unsubscribe.self, unsubscribe)
        case "ack":
            try call.run(Ack.self) { params throws(ErrorObject) in
                Ack.Result(
                    acknowledged: try refusing { () throws(EngineRefusal) in
                        guard let position = params.sequence else {
                            return try engine.commands.forget(
                                params.name, origin: Samples.origin)
                        }
                        return try engine.commands.acknowledge(
                            params.name, upTo: position, origin: Samples.origin)
                    })
            }
        case "observers": try call.run(Observers.self, observers)
        case "transactions": try call.run(Transactions.self, transactions)
        case "wait":
            try call.start(WaitForTransaction.self) { params throws(ErrorObject) in
                try wait(params, reply)
            }
        case "events":
            try call.start(Events.self) { params throws(ErrorObject) in
                try events(params, reply)
            }
        default: nil
        }
    }

    private func subscribe(_ params: Subscribe.Params) throws(ErrorObject) -> Subscribe.Result {
        if let name = params.name, engine.subscriptions.isNameInUse(name) {
            throw ErrorCode.nameInUse.object()
        }
        let left = params.name.flatMap { engine.queue.acknowledged(by: $0) }
        let cursor = params.after ?? left.map { .after($0) }
        let subscription = engine.subscriptions.subscribe(
            SubscriptionRequest(
                after: try cursor.map { cursor throws(ErrorObject) in
                    try position(
                        cursor, epoch: params.epoch, mayBeTrimmed: params.onGap == .snapshot)
                }, kinds: params.filter.kinds, products: params.filter.products,
                isPassive: params.isPassive, heartbeat: params.heartbeat,
                onGap: params.onGap == .snapshot ? .snapshot : .end, name: params.name,
                agents: Set(params.agents.map { $0 == .login ? .login : .payment }),
                mayAnswer: true), target: self, origin: Samples.origin)
        subscriptions.append(subscription)
        return Subscribe.Result(
            subscription: SubscriptionID(subscription.number), epoch: engine.log.epoch,
            oldest: engine.log.oldest, head: engine.queue.head)
    }

    private func unsubscribe(_ params: Unsubscribe.Params) -> Unsubscribe.Result {
        let subscription = subscriptions.first { $0.number == params.subscription?.number }
        if let subscription { engine.subscriptions.unsubscribe(subscription) }
        subscriptions.removeAll { $0 === subscription }
        return Unsubscribe.Result(last: subscription?.previous)
    }

    private func observers(_ params: Observers.Params) -> Observers.Result {
        let names = Dictionary(
            engine.queue.namedObservers.map { ($0.name, $0.acknowledged) },
            uniquingKeysWith: max)
        let live = engine.subscriptions.all.map { subscription in
            let request = subscription.request
            return Observers.Result.Entry(
                live: .init(
                    subscription: SubscriptionID(subscription.number), uid: Samples.origin.uid,
                    client: nil, isPassive: request.isPassive,
                    filter: EventFilter(kinds: nil, products: request.products), agents: []),
                name: request.name, acknowledged: request.name.flatMap { names[$0] }, lag: 0)
        }
        let absent = names.filter { !engine.subscriptions.isNameInUse($0.key) }.map {
            name, acknowledged in
            Observers.Result.Entry(
                live: nil, name: name, acknowledged: acknowledged,
                lag: engine.durableHead - min(acknowledged, engine.durableHead))
        }
        return Observers.Result(entries: live + absent)
    }

    private func transactions(
        _ params: Transactions.Params
    ) throws(ErrorObject) -> Transactions.Result {
        if let ids = params.ids {
            let filter = TransactionFilter(params)
            let entries = ids.compactMap { $0.id.flatMap { entry($0) } }
                .filter { filter.admits($0) }
            return Transactions.Result(entries: entries, sequence: engine.queue.head)
        }
        var pager = try TransactionPager(params, incarnation: engine.queue.incarnation)
        let entries = try refusing { () throws(EngineRefusal) in
            try pager.nextPage(of: engine, withEnded: true, byteLimit: 1 << 20)
        }
        return Transactions.Result(
            entries: entries, sequence: engine.queue.head, next: pager.nextToken)
    }

    /// A transaction as the session may see it.
    func entry(_ id: TransactionID) -> Transactions.Result.Entry? {
        guard let transaction = engine.queue.transaction(id),
            engine.queue.isVisible(transaction.account)
        else { return nil }
        let finish = engine.queue.finish(of: id)
        return Transactions.Result.Entry(
            transaction: transaction,
            waitingFor: finish == nil ? engine.queue.waitingFor(transaction) : nil,
            finish: finish)
    }

    private func wait(_ params: WaitForTransaction.Params, _ reply: Later) throws(ErrorObject) {
        switch params.subject {
        case .transaction(let reference):
            guard let id = reference.id, entry(id) != nil else {
                throw Failures.unknownTransaction(reference)
            }
            wait(for: id, params, reply)
        case .restore(let id, let text):
            guard let id, (try? engine.reader.restoreReport(id)) != nil else {
                throw Failures.unknownRestore(text)
            }
            let waiter = engine.reader.wait(forRestore: id) { reply.giveRestore(id) }
            guard let waiter else { return reply.giveRestore(id) }
            limit(params.timeout, waiter) { reply.giveRestore(id) }
        }
    }

    private func wait(
        for id: TransactionID, _ params: WaitForTransaction.Params, _ reply: Later
    ) {
        let start = engine.reader.wait(for: id, until: WaitCondition(params.until)) {
            reply.giveWaited(id, isReached: $0)
        }
        switch start {
        case .now(let isReached): reply.giveWaited(id, isReached: isReached)
        case .later(let waiter):
            limit(params.timeout, waiter) { reply.giveWaited(id, isReached: false) }
        }
    }

    private func limit(
        _ timeout: Duration, _ waiter: UInt64, _ body: @escaping @Sendable () -> Void
    ) {
        let wire = Later(wire: self, id: .null)
        _ = stage.loop.schedule(after: timeout) {
            wire.wire.engine.reader.cancel(waiter)
            body()
        }
    }

    private func events(_ params: Events.Params, _ reply: Later) throws(ErrorObject) {
        let after = min(
            try position(params.after, epoch: params.epoch, mayBeTrimmed: false),
            engine.durableHead)
        reply.giveEvents(params, after: after)
    }

    /// The position that a cursor means.
    private func position(
        _ cursor: Cursor, epoch: OpaqueText?, mayBeTrimmed: Bool
    ) throws(ErrorObject) -> SequenceNumber {
        switch cursor {
        case .now: return engine.queue.head
        case .start: return engine.log.oldest - 1
        case .after(let position):
            if let epoch, epoch.string != engine.log.epoch {
                throw ErrorCode.otherEpoch.object()
            }
            guard position <= engine.queue.head else { throw ErrorCode.cursorAhead.object() }
            guard position + 1 >= engine.log.oldest || mayBeTrimmed else {
                throw ErrorCode.cursorTooOld.object()
            }
            return position
        }
    }
}

extension Later {
    fileprivate func giveWaited(_ id: TransactionID, isReached: Bool) {
        guard let entry = wire.entry(id) else {
            return give(.failure(Failures.unknownTransaction(.id(id))))
        }
        succeed(
            WaitForTransaction.Result(
                entry: entry, isReached: isReached, sequence: wire.engine.queue.head))
    }

    fileprivate func giveRestore(_ id: RestoreID) {
        guard let report = try? wire.engine.reader.restoreReport(id) else {
            return give(.failure(ErrorCode.unknownTransaction.object()))
        }
        succeed(
            WaitForTransaction.Result(
                record: .restore(RestoreRecord(report)), isReached: report.outcome != nil,
                sequence: wire.engine.queue.head))
    }

    fileprivate func giveEvents(_ params: Events.Params, after: SequenceNumber) {
        let engine = wire.engine
        let page = try? engine.visibleRecords(
            after: after, limit: params.limit, kinds: params.filter.kinds)
        let records = page?.records ?? []
        guard records.isEmpty, params.wait != nil else {
            return succeed(
                Events.Result(
                    entries: records.map { .init(record: $0, waitingFor: engine.waitingFor($0)) },
                    next: page?.scanned ?? after, head: engine.durableHead,
                    epoch: engine.log.epoch))
        }
        _ = engine.reader.waitForRecord(after: page?.scanned ?? after) { [self] in
            giveEvents(params, after: page?.scanned ?? after)
        }
    }
}
