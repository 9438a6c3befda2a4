import JSONRPC
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine

/// The parts of the daemon that requests work with.
final class HandlerContext {
    let engine: PaymentEngine
    let facts: ServerFacts
    let loop: NIOIsolatedEventLoop
    let eventLoop: any EventLoop
    /// The operations on the rest of the daemon; nil without one.
    let daemon: (any DaemonControl)?
    /// Gives slices of the loop to connections and long reads.
    let admission: Admission
    var limits: Limits
    var counters = ServerCounters()
    /// The units of users that end with their connections.
    var shares = ConnectionShares()
    /// The calls that wait for records of another node.
    let copyWaits: CopyWaits
    /// Passes changes on to the owner of the queue; nil if there is one node only.
    var forwarder: Forwarder?
    /// Whether the daemon is stopping.
    private(set) var isStopping = false
    /// Whether an administrator has stopped the acceptance of new payments.
    var isDrained = false {
        didSet { if isDrained != oldValue { stateSince = engine.currentTime } }
    }
    /// The beginning of the state that `status` shows.
    private(set) var stateSince: Timestamp

    init(
        engine: PaymentEngine, limits: Limits, facts: ServerFacts,
        daemon: (any DaemonControl)?, loop: any EventLoop, doorbell: Doorbell?
    ) {
        self.engine = engine
        self.daemon = daemon
        copyWaits = CopyWaits(engine, daemon, loop)
        self.limits = limits
        self.facts = facts
        self.loop = loop.assumeIsolated()
        eventLoop = loop
        admission = Admission(
            loop: loop.assumeIsolated(), doorbell: doorbell, catchUp: engine.catchUp)
        stateSince = facts.startedAt
    }

    /// Exempts the daemon's own user from shares.
    func exempt(_ user: UInt32) {
        limits.exemptUser = user
        engine.exempt(user)
    }

    /// Notes that the daemon stops from now on. Requests that were received before still run.
    func stop() {
        isStopping = true
        engine.questions.prepareStop()
        stateSince = engine.currentTime
    }

    /// Whether this node records nothing, because the state is read-only or another node owns the
    /// queue.
    var isReadOnly: Bool { engine.isReadOnly }

    /// Whether no call can change anything, neither at this node nor at another one.
    var changesNothing: Bool { engine.isReadOnly && !engine.isFollowing }

    /// Leaves a store request to the owner of the queue, which has the session at the store and the
    /// signing keys. A node that reaches no owner sends the request itself.
    ///
    /// - Throws: `noOwner`, which makes the dispatcher forward the call.
    func leaveToOwner(_ connection: Connection) throws(ErrorObject) {
        if forwarder?.isOpen(for: connection) == true { throw Failures.noOwner }
    }

    /// Refuses a call about the account in session. Such a call never requests a login, unlike a purchase.
    ///
    /// - Throws: `notLoggedIn`.
    func requireSession() throws(ErrorObject) {
        guard engine.queue.session != nil else { throw ErrorCode.notLoggedIn.object() }
    }

    /// Whether another node owns the queue and this node cannot forward calls to it, because it has no `cluster.peer`
    /// or the address of the owner is not known.
    var lacksOwner: Bool { engine.isFollowing && forwarder?.reachesOwner != true }

    /// The error for a change while this node records nothing.
    var refusalOfChanges: ErrorObject {
        engine.isFollowing ? Failures.noOwner : Failures.readOnly
    }

    /// The state of the daemon as `status` shows it.
    var state: StatusReport.State {
        if isStopping || isDrained { return .draining }
        if engine.isFollowing { return .running }
        return engine.log.room.isShort || isReadOnly ? .degraded : .running
    }

    /// Refuses new work while the daemon drains. A repeated call with a known key is not new: a client that
    /// lost the reply receives the outcome of the call.
    func admitWork(_ key: OpaqueText?) throws(ErrorObject) {
        guard isDrained else { return }
        if let key {
            let isRepeated = try translatingRefusal { () throws(EngineRefusal) in
                try engine.reader.isKnown(key)
            }
            if isRepeated { return }
        }
        throw ErrorCode.draining.object()
    }

    /// The time of a clock that never goes back.
    var uptime: Duration { .nanoseconds(Int64(eventLoop.now.uptimeNanoseconds)) }

    /// The error for a cursor that cannot be used.
    func fault(_ fault: CursorFault, at position: SequenceNumber) -> ErrorObject {
        fault.errorObject(
            after: position, oldest: engine.log.oldest, head: engine.queue.head,
            epoch: engine.log.epoch)
    }
}

/// The counters of the server that its metrics show, since its start.
struct ServerCounters {
    /// Connections that were accepted.
    var accepted: UInt64 = 0
    /// Connections that a limit refused.
    var refused: UInt64 = 0
    /// Connections that were closed because their peer read nothing.
    var stalledCloses: UInt64 = 0
    /// Logins that were refused because of earlier wrong ones.
    var throttledLogins: UInt64 = 0
    /// Calls of `add` without a key.
    var keylessAdds: UInt64 = 0
    /// Requests that were answered with an error.
    var errorReplies: UInt64 = 0
}
