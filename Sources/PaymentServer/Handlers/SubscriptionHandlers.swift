import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// The handlers of `subscribe`, `unsubscribe`, `ack`, `events` and `observers`.
struct SubscriptionHandlers: Handlers {
    let context: HandlerContext

    func register(in methods: MethodTable) {
        methods.register(Subscribe.self, subscribe, check: checkSubscribe)
        methods.register(Unsubscribe.self, unsubscribe)
        methods.register(Events.self, events, check: checkEvents)
        methods.register(Ack.self, ack, check: checkAck)
        methods.register(Observers.self, observers)
    }

    func subscribe(
        _ params: Subscribe.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Subscribe.Result> {
        try context.copyWaits.whenReached(params.after, epoch: params.epoch) {
            () throws(ErrorObject) in
            try subscribeNow(params, request)
        }
    }

    private func subscribeNow(
        _ params: Subscribe.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Subscribe.Result> {
        let connection = request.connection
        let after = try admit(params, request)
        let subscription = subscription(params, after: after, connection)
        guard engine.isFollowing, let forwarder = context.forwarder, subscription.counts else {
            return .now(begin(subscription, request))
        }
        // The owner counts the subscription and holds its name. This node sends the events.
        var own = subscription
        own.name = nil
        guard forwarder.isOpen(for: connection) else {
            let result = begin(own, request)
            forwarder.mirror(result.subscription, subscription, of: connection)
            return .now(result)
        }
        return .later { [self, own] call in
            forwarder.begin(subscription, call, of: connection) { [self] () throws(ErrorObject) in
                var own = own
                own.after = try position(of: params)
                return begin(own, request)
            }
        }
    }

    private func subscription(
        _ params: Subscribe.Params, after: SequenceNumber?, _ connection: Connection
    ) -> SubscriptionRequest {
        SubscriptionRequest(
            after: after, kinds: params.filter.kinds, products: params.filter.products,
            isPassive: params.isPassive, heartbeat: params.heartbeat,
            onGap: params.onGap == .snapshot ? .snapshot : .end, name: params.name,
            agents: Set(params.agents.map(\.kind)),
            mayAnswer: connection.caller.roles.contains(.gate))
    }

    private func begin(
        _ subscription: SubscriptionRequest, _ request: Request
    ) -> Subscribe.Result {
        let connection = request.connection
        let live = engine.subscriptions.subscribe(
            subscription, target: connection, origin: request.origin)
        connection.subscriptions.append(live)
        connection.enableHandover()
        return Subscribe.Result(
            subscription: SubscriptionID(live.number), epoch: engine.log.epoch,
            oldest: engine.log.oldest, head: engine.queue.head)
    }

    private func checkSubscribe(
        _ params: Subscribe.Params, _ request: Request
    ) throws(ErrorObject) {
        // The call would wait for a position that is missing here, so the position is not checked.
        guard !context.copyWaits.isMissing(params.after, epoch: params.epoch) else { return }
        _ = try admit(params, request)
    }

    /// Checks whether a subscription can be made.
    ///
    /// - Returns: The position where it begins; nil without a cursor and an acknowledged position.
    private func admit(
        _ params: Subscribe.Params, _ request: Request
    ) throws(ErrorObject) -> SequenceNumber? {
        let connection = request.connection
        guard connection.subscriptions.count < limits.subscriptionsPerConnection else {
            throw Failures.limit(.tooManySubscriptions, limits.subscriptionsPerConnection)
        }
        try context.require(.subscriptions, for: connection.user, full: .tooManySubscriptions)
        if !params.agents.isEmpty { try request.require(.gate) }
        if let name = params.name {
            if !engine.isReadOnly {
                try translatingRefusal { () throws(EngineRefusal) in
                    try engine.commands.admit(name, user: connection.user)
                }
            } else if context.forwarder?.isOpen(for: connection) != true {
                throw context.refusalOfChanges
            }
        }
        return try position(of: params)
    }

    /// The position where a subscription begins: that of its cursor, otherwise the last one that
    /// its name has acknowledged.
    private func position(of params: Subscribe.Params) throws(ErrorObject) -> SequenceNumber? {
        let left = params.name.flatMap { engine.queue.acknowledged(by: $0) }
        return try position(
            params.after ?? left.map { .after($0) }, epoch: params.epoch,
            mayBeTrimmed: params.onGap == .snapshot)
    }

    func ack(_ params: Ack.Params, _ request: Request) throws(ErrorObject) -> Answer<Ack.Result> {
        let isAdmin = request.connection.caller.roles.contains(.admin)
        let acknowledged = try translatingRefusal { () throws(EngineRefusal) in
            guard let position = params.sequence else {
                return try engine.commands.forget(
                    params.name, origin: request.origin, mayActForOthers: isAdmin)
            }
            return try engine.commands.acknowledge(
                params.name, upTo: position, origin: request.origin, mayActForOthers: isAdmin)
        }
        return .now(
            Ack.Result(acknowledged: acknowledged, isForgotten: params.sequence == nil))
    }

    private func checkAck(_ params: Ack.Params, _ request: Request) throws(ErrorObject) {
        try translatingRefusal { () throws(EngineRefusal) in
            try engine.commands.checkAcknowledgement(
                params.name, upTo: params.sequence, origin: request.origin,
                mayActForOthers: request.connection.caller.roles.contains(.admin))
        }
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
        engine.subscriptions.unsubscribe(subscription)
        return .now(Unsubscribe.Result(last: subscription.previous))
    }

    func events(
        _ params: Events.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Events.Result> {
        // A batch cannot wait.
        if request.isInBatch, context.copyWaits.isMissing(params.after, epoch: params.epoch) {
            throw Failures.notCaughtUp
        }
        return try context.copyWaits.whenReached(params.after, epoch: params.epoch) {
            () throws(ErrorObject) in
            try eventsNow(params, request)
        }
    }

    private func eventsNow(
        _ params: Events.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Events.Result> {
        let after =
            try position(params.after, epoch: params.epoch, mayBeTrimmed: false)
            ?? engine.durableHead
        let read = EventRead(params, after: after, by: request.connection.user, in: context)
        try read.advance()
        // A batch cannot wait for another slice; `next` names the position that was reached.
        let mayWait = !request.isInBatch || (params.wait ?? .zero) > .zero
        if read.isAnswered || !mayWait { return .now(read.page) }
        return .later { call in read.begin(for: call) }
    }

    private func checkEvents(_ params: Events.Params, _ request: Request) throws(ErrorObject) {
        guard !context.copyWaits.isMissing(params.after, epoch: params.epoch) else { return }
        _ = try position(params.after, epoch: params.epoch, mayBeTrimmed: false)
    }

    func observers(
        _ params: Observers.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Observers.Result> {
        let head = engine.durableHead
        var names = Dictionary(
            engine.queue.namedObservers.map { ($0.name, $0.acknowledged) },
            uniquingKeysWith: max)
        var entries: [Observers.Result.Entry] = []
        for subscription in engine.subscriptions.all {
            guard let connection = subscription.target as? Connection else { continue }
            let name =
                subscription.request.name
                ?? context.forwarder?.name(of: SubscriptionID(subscription.number), of: connection)
            let acknowledged = name.flatMap { names.removeValue(forKey: $0) }
            entries.append(liveEntry(subscription, connection, name, acknowledged: acknowledged))
        }
        for observer in engine.queue.namedObservers where names[observer.name] != nil {
            entries.append(
                Observers.Result.Entry(
                    live: nil, name: observer.name, owner: observer.owner,
                    acknowledged: observer.acknowledged,
                    lag: head - min(observer.acknowledged, head)))
        }
        return .now(Observers.Result(entries: entries))
    }

    private func liveEntry(
        _ subscription: Subscription, _ connection: Connection, _ name: OpaqueText?,
        acknowledged: SequenceNumber?
    ) -> Observers.Result.Entry {
        let request = subscription.request
        return Observers.Result.Entry(
            live: .init(
                subscription: SubscriptionID(subscription.number), uid: connection.caller.peer.uid,
                client: connection.caller.clientName, isPassive: request.isPassive,
                filter: EventFilter(
                    kinds: request.kinds,
                    products: request.products),
                agents: Set(Subscribe.Agent.allCases.filter { request.agents.contains($0.kind) })),
            name: name, acknowledged: acknowledged,
            lag: engine.durableHead - min(subscription.scanned, engine.durableHead))
    }

    /// The position of a cursor; nil without a cursor.
    private func position(
        _ cursor: Cursor?, epoch: OpaqueText?, mayBeTrimmed: Bool
    ) throws(ErrorObject) -> SequenceNumber? {
        let oldest = engine.log.oldest
        let head = engine.queue.head
        guard let cursor else { return nil }
        switch cursor {
        case .now: return head
        case .start: return oldest > 0 ? oldest - 1 : 0
        case .after(let position):
            if let epoch, epoch.string != engine.log.epoch {
                throw context.fault(.otherEpoch, at: position)
            }
            guard position <= max(head, engine.log.head) else {
                throw context.fault(.ahead, at: position)
            }
            guard position + 1 >= oldest || mayBeTrimmed else {
                throw context.fault(.tooOld, at: position)
            }
            return position
        }
    }
}

extension Subscribe.Agent {
    /// The kind of the agent in the engine.
    fileprivate var kind: AgentKind {
        switch self {
        case .login: .login
        case .payment: .payment
        }
    }
}
