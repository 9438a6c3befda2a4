import JSONRPC
import PaymentAPI
import PaymentCore
import PaymentEngine
import StrictJSON

/// `status`, `help`, `rpc.discover`.
extension ServerCore {
    func registerStatusMethods() {
        methods.register(Status.self, status)
        methods.register(HelpMethod.self, help)
        methods.register(DiscoverMethod.self, discover)
    }

    func status(
        _ params: Status.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Status.Result> {
        let queue = engine.queue
        let health = engine.storeHealth
        // Whoever may administer sees everybody; others see themselves.
        let shown =
            request.connection.roles.contains(.admin)
            ? connections.values.sorted { $0.number < $1.number } : [request.connection]
        return .now(
            StatusReport(
                state: state, since: stateSince,
                session: queue.session, endedSession: queue.endedSession,
                queue: .init(counts: queue.openCounts, waitingFor: queue.waitingCounts),
                log: .init(
                    oldest: engine.log.oldest, head: queue.head, bytes: facts.logBytes()),
                connections: shown.map(report), questions: engine.questions.visible.count,
                persistence: .init(
                    lastCommit: engine.turn.lastCommit, isVolatile: facts.isVolatile,
                    lastError: engine.log.isShortOfSpace ? "low disk space" : nil),
                store: .init(
                    name: health.name, state: health.isUp ? .available : .unavailable,
                    since: health.since, lastError: health.lastError,
                    nextTryAt: engine.nextStoreTry),
                restores: engine.reader.visibleRestores.map { RestoreRecord($0) },
                canMakePayments: canMakePayments))
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
        let known = discovered ?? DiscoverMethod.Result(document: Discover.document(limits: limits))
        discovered = known
        return .now(known)
    }

    private var canMakePayments: StatusReport.CanMakePayments {
        if engine.queue.session == nil { return .init(value: false, reason: "notLoggedIn") }
        if !engine.paymentsAllowed { return .init(value: false, reason: "paymentsNotAllowed") }
        return .init(value: true, reason: nil)
    }

    private func report(_ connection: Connection) -> StatusReport.Connection {
        let lags = connection.subscriptions.map { subscription in
            engine.durableHead - min(subscription.scanned, engine.durableHead)
        }
        return .init(
            uid: connection.peer.uid, client: connection.clientName,
            subscriptions: connection.subscriptions.count, lag: lags.max() ?? 0,
            bufferedBytes: connection.bufferedBytes, isPaused: connection.isFull)
    }
}
