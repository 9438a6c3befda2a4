import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// `subscribe`, `unsubscribe`, `events`, `observers`.
extension ServerCore {
    func subscribe(
        _ params: Subscribe.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Subscribe.Result> {
        let connection = request.connection
        guard connection.subscriptions.count < limits.subscriptionsPerConnection else {
            throw Failures.limit(.tooManySubscriptions, limits.subscriptionsPerConnection)
        }
        guard engine.subscriptions.count < limits.subscriptions else {
            throw Failures.limit(.tooManySubscriptions, limits.subscriptions)
        }
        let after = try position(
            params.after, epoch: params.epoch, mayBeTrimmed: params.onGap == .snapshot)
        let subscription = engine.subscribe(
            SubscriptionRequest(
                after: after, kinds: params.filter.recordKinds, products: params.filter.products,
                isPassive: params.isPassive, heartbeat: params.heartbeat,
                onGap: params.onGap == .snapshot ? .snapshot : .end),
            sink: connection)
        connection.subscriptions.append(subscription)
        return .now(
            Subscribe.Result(
                subscription: SubscriptionID(subscription.number), epoch: engine.journal.epoch,
                oldest: engine.journal.oldest, head: engine.queue.head))
    }

    func unsubscribe(
        _ params: Unsubscribe.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Unsubscribe.Result> {
        let connection = request.connection
        guard
            let index = connection.subscriptions.firstIndex(where: {
                $0.number == params.subscription?.number
            })
        else { return .now(Unsubscribe.Result(last: nil)) }
        let subscription = connection.subscriptions.remove(at: index)
        engine.unsubscribe(subscription)
        return .now(Unsubscribe.Result(last: subscription.previous))
    }

    func events(
        _ params: Events.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Events.Result> {
        let after =
            try position(params.after, epoch: params.epoch, mayBeTrimmed: false)
            ?? engine.durableHead
        let page = try eventPage(params, after: after)
        guard page.entries.isEmpty, let patience = params.wait, patience > .zero else {
            return .now(page)
        }
        return .later { [self] call in
            waitForEvents(params, after: page.next, call)
            call.schedule(after: patience, on: loop) { [self] in
                call.onAbandon?()
                call.onAbandon = nil
                answerEvents(params, after: page.next, call)
            }
        }
    }

    func observers(
        _ params: Observers.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Observers.Result> {
        let entries = engine.subscriptions.compactMap { subscription -> Observers.Result.Entry? in
            guard let connection = subscription.sink as? Connection else { return nil }
            return Observers.Result.Entry(
                subscription: SubscriptionID(subscription.number), uid: connection.peer.uid,
                client: connection.clientName, isPassive: subscription.request.isPassive,
                filter: EventFilter(
                    kinds: subscription.request.kinds.map { Set($0.map(\.eventKind)) },
                    products: subscription.request.products),
                lag: engine.durableHead - min(subscription.scanned, engine.durableHead))
        }
        return .now(Observers.Result(entries: entries))
    }

    /// The position that a cursor means; nil when there is none.
    private func position(
        _ cursor: Cursor?, epoch: OpaqueText?, mayBeTrimmed: Bool
    ) throws(ErrorObject) -> SequenceNumber? {
        let oldest = engine.journal.oldest
        let head = engine.queue.head
        guard let cursor else { return nil }
        func fault(_ fault: CursorFault, _ position: SequenceNumber?) -> ErrorObject {
            fault.errorObject(
                after: position, oldest: oldest, head: head, epoch: engine.journal.epoch)
        }
        switch cursor {
        case .now: return head
        case .start: return oldest > 0 ? oldest - 1 : 0
        case .after(let position):
            if let epoch, epoch.string != engine.journal.epoch {
                throw fault(.otherEpoch, position)
            }
            guard position <= max(head, engine.journal.head) else { throw fault(.ahead, position) }
            guard position + 1 >= oldest || mayBeTrimmed else { throw fault(.tooOld, position) }
            return position
        }
    }

    private func eventPage(
        _ params: Events.Params, after: SequenceNumber
    ) throws(ErrorObject) -> Events.Result {
        do throws(JournalFailure) {
            let page = try engine.visibleRecords(
                after: after, limit: params.limit, kinds: params.filter.recordKinds)
            return Events.Result(
                entries: page.records.map {
                    Events.Result.Entry(record: $0, waitingFor: engine.waitingFor($0))
                },
                next: page.scanned, head: engine.durableHead, epoch: engine.journal.epoch)
        } catch {
            throw Failures.internalError(incident: "the event log cannot be read")
        }
    }

    private func waitForEvents(
        _ params: Events.Params, after: SequenceNumber, _ call: WaitingCall
    ) {
        let waiter = engine.waitForRecord { [self] in
            call.onAbandon = nil
            guard let page = try? eventPage(params, after: after) else {
                return call.fail(
                    Failures.internalError(incident: "the event log cannot be read"))
            }
            if page.entries.isEmpty {
                waitForEvents(params, after: page.next, call)
            } else {
                call.succeed(page)
            }
        }
        call.onAbandon = { [engine] in engine.cancelWait(waiter) }
    }

    private func answerEvents(
        _ params: Events.Params, after: SequenceNumber, _ call: WaitingCall
    ) {
        do throws(ErrorObject) {
            call.succeed(try eventPage(params, after: after))
        } catch {
            call.fail(error)
        }
    }
}

extension EventFilter {
    /// The kinds as the engine knows them; a filter on kinds that it has none of admits nothing.
    var recordKinds: Set<RecordKind>? {
        kinds.map { kinds in Set(RecordKind.allCases.filter { kinds.contains($0.eventKind) }) }
    }
}

extension RecordKind {
    /// The kind's word on the wire.
    var eventKind: EventKind {
        switch self {
        case .transactionsUpdated: .transactionsUpdated
        case .transactionsRemoved: .transactionsRemoved
        case .storefrontChanged: .storefrontChanged
        case .restoreCompleted: .restoreCompleted
        case .restoreFailed: .restoreFailed
        case .entitlementsRevoked: .entitlementsRevoked
        case .productsChanged: .productsChanged
        case .questionOpened: .questionOpened
        case .questionClosed: .questionClosed
        }
    }
}
