import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The handlers of `drain`, `reload`, `backup`, `cluster`, `handover` and `metrics`.
final class AdminHandlers: Handlers {
    let context: HandlerContext
    private let core: ServerCore
    /// The calls that wait for the queue to be drained.
    private var drains: [WaitingCall] = []

    init(_ core: ServerCore) {
        context = core.context
        self.core = core
    }

    func register(in methods: MethodTable) {
        methods.register(MetricsMethod.self, metrics)
        methods.register(Drain.self, drain)
        methods.register(Reload.self, reload)
        methods.register(Backup.self, backup)
        methods.register(ClusterMethod.self, cluster)
        methods.register(HandOver.self, handOver)
    }

    func drain(
        _ params: Drain.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Drain.Result> {
        drains.removeAll { $0.isDone }
        guard params.isOn else {
            context.isDrained = false
            let calls = drains
            drains = []
            for call in calls {
                call.stopWaiting()
                call.succeed(Drain.Result(state: context.state))
            }
            return .now(Drain.Result(state: context.state))
        }
        guard hasOrdersUnderWay else {
            context.isDrained = true
            return .now(Drain.Result(state: context.state))
        }
        return .later { [self] call in
            context.isDrained = true
            drains.append(call)
            waitUntilDrained(call)
        }
    }

    func reload(
        _ params: Reload.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Reload.Result> {
        try askDaemon { daemon throws(DaemonRefusal) in
            Reload.Result(changed: try await daemon.reload())
        } whenDone: { [engine] in
            // The new catalogue applies before the reply, so that a client that has read the reply
            // buys from it.
            engine.store.catalogues.useKnown()
        }
    }

    func backup(
        _ params: Backup.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<Backup.Result> {
        try askDaemon { daemon throws(DaemonRefusal) in
            let receipt = try await daemon.backup()
            return Backup.Result(
                path: receipt.path, sequence: receipt.sequence, bytes: receipt.bytes)
        }
    }

    func cluster(
        _ params: ClusterMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<ClusterMethod.Result> {
        try askDaemon { daemon throws(DaemonRefusal) in try await daemon.cluster() }
    }

    func handOver(
        _ params: HandOver.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<HandOver.Result> {
        try askDaemon { daemon throws(DaemonRefusal) in
            try await daemon.checkHandOver()
        } whenDone: { [daemon = context.daemon] in
            daemon?.handOver()
        }
    }

    func metrics(
        _ params: MetricsMethod.Params, _ request: Request
    ) throws(ErrorObject) -> Answer<MetricsMethod.Result> {
        .now(MetricsMethod.Result(text: MetricsReport(core: core).text))
    }

    /// Whether an order of the visible transactions is at the store, so that draining must wait for
    /// its outcome.
    private var hasOrdersUnderWay: Bool { engine.queue.visibleCounts.submitted > 0 }

    private func waitUntilDrained(_ call: WaitingCall) {
        guard hasOrdersUnderWay else { return call.succeed(Drain.Result(state: context.state)) }
        let waiter = engine.reader.waitForRecord(after: engine.durableHead) { [self] in
            call.onAbandon = nil
            waitUntilDrained(call)
        }
        call.onAbandon = { [engine] in engine.reader.cancel(waiter) }
    }

    /// Calls the rest of the daemon in a task of its own. The client's call waits without blocking
    /// the loop.
    private func askDaemon<Result: WireResult>(
        _ ask: @escaping @Sendable (any DaemonControl) async throws(DaemonRefusal) -> Result,
        whenDone: @escaping @Sendable () -> Void = {}
    ) throws(ErrorObject) -> Answer<Result> {
        guard let daemon = context.daemon else {
            throw Failures.internalError(incident: "this server is not part of a daemon")
        }
        return .later { [eventLoop = context.eventLoop] call in
            let bound = NIOLoopBound(call, eventLoop: eventLoop)
            // Unstructured because the turn must not wait; it ends with the daemon's answer.
            Task.immediate {
                do throws(DaemonRefusal) {
                    let result = try await ask(daemon)
                    eventLoop.execute {
                        bound.value.succeed(result)
                        whenDone()
                    }
                } catch {
                    eventLoop.execute { bound.value.fail(error.errorObject) }
                }
            }
        }
    }
}

extension DaemonRefusal {
    /// The refusal as clients receive it.
    var errorObject: ErrorObject {
        switch self {
        case .configuration(let file, let path, let reason):
            Failures.configurationRefused(file: file, path: path, reason: reason)
        case .noCluster: Failures.noCluster
        case .noOtherNode(let sentence): ErrorCode.noOwner.object(message: sentence)
        case .disk(let sentence): ErrorCode.notDurable.object(message: sentence)
        case .damaged(let sentence): Failures.damaged(sentence)
        case .failed(let sentence): Failures.internalError(incident: sentence)
        }
    }
}
