import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// The handlers of `status`, `help` and `rpc.discover`.
final class StatusHandlers: Handlers {
    let context: HandlerContext
    private let core: ServerCore
    /// The document of `rpc.discover` and the limits that it states.
    private var discovered: (limits: Limits, result: DiscoverMethod.Result)?

    init(_ core: ServerCore) {
        context = core.context
        self.core = core
    }

    func register(in methods: MethodTable) {
        methods.register(Status.self, status)
        methods.register(HelpMethod.self, help)
        methods.register(DiscoverMethod.self, discover)
    }

    func status(
        _ params: Status.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Status.Result> {
        let queue = engine.queue
        let health = engine.store.access.health
        let room = engine.log.room
        // An administrator sees all connections, other callers see their own.
        let isAdmin = request.connection.caller.roles.contains(.admin)
        let shown =
            isAdmin
            ? core.connections.values.sorted { $0.caller.number < $1.caller.number }
            : [request.connection]
        return .now(
            StatusReport(
                state: context.state, since: context.stateSince,
                session: queue.session, endedSession: queue.endedSession,
                queue: .init(counts: queue.openCounts, waitingFor: queue.waitingCounts),
                log: .init(
                    oldest: engine.log.oldest, head: queue.head, bytes: context.facts.logBytes()),
                connections: shown.map(report), questions: engine.questions.visible.count,
                persistence: .init(
                    lastCommit: engine.turn.lastCommit, isVolatile: context.facts.isVolatile,
                    lastError: room.shortage?.reason),
                storage: storage(room, unarchived: queue.closedInMemory),
                store: .init(
                    name: health.name,
                    state: health.isUp && !engine.isReadOnly ? .available : .unavailable,
                    since: health.since,
                    lastError: engine.isReadOnly
                        ? "not asked: \(engine.isFollowing ? "another node owns the queue" : "read-only")"
                        : health.lastError,
                    nextTryAt: engine.store.access.nextTry),
                restores: engine.reader.visibleRestores.map { RestoreRecord($0) },
                canMakePayments: canMakePayments, shares: isAdmin ? holders : nil))
    }

    /// The units that users hold of the limits that they share, by user id.
    private var holders: [StatusReport.Holder] {
        var units: [UInt32: [SharedLimit: Int]] = [:]
        for limit in SharedLimit.allCases {
            for (user, count) in context.share(of: limit).held {
                units[user, default: [:]][limit] = count
            }
        }
        return units.map { StatusReport.Holder(uid: $0.key, units: $0.value) }
            .sorted { $0.uid < $1.uid }
    }

    private func storage(_ room: Room, unarchived: Int) -> StatusReport.Storage {
        var storage = context.facts.storage()
        storage.room = room
        storage.unarchived = unarchived
        return storage
    }

    func help(
        _ params: HelpMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<HelpMethod.Result> {
        guard let text = Help.text(for: params.method) else {
            throw Failures.methodNotFound(params.method ?? "")
        }
        return .now(HelpMethod.Result(text: text))
    }

    func discover(
        _ params: DiscoverMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<DiscoverMethod.Result> {
        if let discovered, discovered.limits == limits { return .now(discovered.result) }
        let result = DiscoverMethod.Result(document: Discover.document(limits: limits))
        discovered = (limits, result)
        return .now(result)
    }

    private var canMakePayments: StatusReport.CanMakePayments {
        if engine.isFollowing {
            if context.lacksOwner { return .init(value: false, reason: "noOwner") }
            // Only the owner can judge its disk and the store.
            let isLoggedIn = engine.queue.session != nil
            return .init(value: isLoggedIn, reason: isLoggedIn ? nil : "notLoggedIn")
        }
        if engine.isReadOnly { return .init(value: false, reason: "readOnly") }
        if context.state == .draining { return .init(value: false, reason: "draining") }
        if engine.log.room.isShort { return .init(value: false, reason: "diskFull") }
        if engine.queue.session == nil { return .init(value: false, reason: "notLoggedIn") }
        if !engine.store.sessions.paymentsAllowed {
            return .init(value: false, reason: "paymentsNotAllowed")
        }
        return .init(value: true, reason: nil)
    }

    private func report(_ connection: Connection) -> StatusReport.Connection {
        let lags = connection.subscriptions.map { subscription in
            engine.durableHead - min(subscription.scanned, engine.durableHead)
        }
        return .init(
            uid: connection.caller.peer.uid, client: connection.caller.clientName,
            subscriptions: connection.subscriptions.count, lag: lags.max() ?? 0,
            bufferedBytes: connection.bufferedBytes, isPaused: connection.isFullOfEvents)
    }
}
