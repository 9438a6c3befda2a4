import JSONRPC
import Logging
import NIOCore
public import OpenMetrics
import PaymentAPI
public import PaymentCore
import PaymentEngine
import SandboxControl
import StrictJSON

/// The state that all connections share. Lives on the event loop that owns the sockets.
final class ServerCore {
    let engine: PaymentEngine
    private(set) var limits: Limits { didSet { discovered = nil } }
    private(set) var access: AccessPolicy
    let facts: ServerFacts
    let testControl: (any StoreTestControl)?
    let daemon: (any DaemonControl)?
    /// Where connections are kept over the end of the process; nil if they are not.
    let connectionStore: (any ConnectionStore)?
    let feed: StoreFeed
    let deliveries: DeliveryWriter
    let log: Logger
    let loop: NIOIsolatedEventLoop
    let eventLoop: any EventLoop
    /// Whose requests are run next.
    let admission: Admission
    let methods = MethodTable()
    var scanner: RequestScanner
    private(set) var connections: [UInt64: Connection] = [:]
    /// Whether the daemon is being stopped.
    private(set) var isStopping = false
    /// Whether nothing more is read, because somebody else goes on with the connections.
    var isHolding = false
    /// Whether an administrator wants no new work to be taken.
    var isDrained = false { didSet { stateSince = engine.currentTime } }
    /// The calls that wait for the queue to be drained.
    var drains: [WaitingCall] = []
    /// When the daemon got into the state that `status` shows.
    private(set) var stateSince: Timestamp
    private(set) var stalledCloses: UInt64 = 0
    /// How many connections were taken in, and how many turned away.
    private(set) var accepted: UInt64 = 0
    private(set) var turnedAway: UInt64 = 0
    /// How many scrapers are connected.
    private var scrapers = 0
    /// How many payments were asked for without a key.
    var keylessAdds: UInt64 = 0
    /// How many requests were answered by an error.
    var errorReplies: UInt64 = 0
    /// The reply to `rpc.discover`, as long as the limits are the same.
    var discovered: DiscoverMethod.Result?
    private var nextConnection: UInt64

    init(
        engine: PaymentEngine, limits: Limits, access: AccessPolicy, facts: ServerFacts,
        testControl: (any StoreTestControl)?, daemon: (any DaemonControl)? = nil,
        connectionStore: (any ConnectionStore)? = nil, log: Logger, loop: any EventLoop,
        doorbell: Doorbell? = nil
    ) {
        self.engine = engine
        self.daemon = daemon
        self.connectionStore = connectionStore
        feed = StoreFeed(engine: engine)
        stateSince = facts.startedAt
        self.limits = limits
        self.access = access
        self.facts = facts
        self.testControl = testControl
        self.log = log
        self.loop = loop.assumeIsolated()
        eventLoop = loop
        admission = Admission(loop: loop.assumeIsolated(), doorbell: doorbell)
        deliveries = DeliveryWriter(engine: engine)
        scanner = RequestScanner(limits: JSONLimits(limits))
        // The incarnation in the upper half keeps tokens of different starts apart in the journal.
        nextConnection = engine.queue.incarnation << 32 | 1
        registerMethods()
    }

    /// Takes a peer in, or says why not.
    func accept(_ peer: PeerCredentials) -> Result<Connection, ConnectionRefusal> {
        guard connections.count < limits.connections else {
            turnedAway += 1
            return .failure(ConnectionRefusal(limit: limits.connections))
        }
        let ofUser = connections.values.count { $0.peer.uid == peer.uid }
        guard access.isTrusted(peer) || ofUser < limits.connectionsPerUser else {
            turnedAway += 1
            return .failure(ConnectionRefusal(limit: limits.connectionsPerUser))
        }
        let connection = Connection(server: self, number: nextConnection, peer: peer)
        connection.keeping = connectionStore.map {
            Keeping(store: $0, name: "\(Keeping.prefix)\(connection.number)")
        }
        nextConnection += 1
        accepted += 1
        add(connection)
        return .success(connection)
    }

    /// Lets a scraper in.
    ///
    /// - Returns: False if there are too many already.
    func takeScraper(upTo limit: Int) -> Bool {
        guard scrapers < limit else { return false }
        scrapers += 1
        return true
    }

    /// A scraper that was let in has left.
    func leaveScraper() {
        scrapers -= 1
    }

    /// Knows a connection from now on.
    func add(_ connection: Connection) {
        connections[connection.number] = connection
    }

    /// Forgets a connection that is gone.
    func remove(_ connection: Connection) {
        connections[connection.number] = nil
    }

    /// Counts a peer that was given up because it took nothing.
    func countStalledClose() {
        stalledCloses += 1
        log.notice("closed a connection whose peer read nothing for the time allowed")
    }

    /// Tells every peer that the daemon goes away and lets them go.
    func closeAll(reason: ClosingReason, graceMs: Int) {
        // Requests that have arrived were made before the stop.
        admission.giveEachOne()
        isStopping = true
        stateSince = engine.currentTime
        var line = JSONWriter()
        line.closing(reason: reason, graceMs: graceMs, head: engine.durableHead)
        for connection in connections.values { connection.closeInOrder(saying: line) }
    }
}

extension ServerCore {
    /// Whether new work is refused.
    var refusesWork: Bool { isStopping || isDrained }

    /// Refuses new work while the daemon drains or stops. What a known key repeats is none: whoever
    /// lost the reply learns what became of the call.
    func admitWork(_ key: OpaqueText?) throws(ErrorObject) {
        guard refusesWork else { return }
        if let key, engine.queue.isKnown(key) { return }
        throw ErrorCode.draining.object()
    }

    /// The state of the daemon, in a word.
    var state: StatusReport.State {
        if refusesWork { return .draining }
        return engine.log.isShortOfSpace ? .degraded : .running
    }

    /// Puts other limits and roles in force. Limits that shape a connection when it is made hold for
    /// new ones; a peer that may not look any more loses its subscriptions.
    func use(_ limits: Limits, _ access: AccessPolicy) {
        self.limits = limits
        self.access = access
        scanner = RequestScanner(limits: JSONLimits(limits))
        engine.use(limits)
        for connection in connections.values.sorted(by: { $0.number < $1.number }) {
            connection.take(access.roles(of: connection.peer))
        }
    }
}

extension JSONLimits {
    fileprivate init(_ limits: Limits) {
        self.init(maximumDepth: limits.depth, maximumTokens: limits.tokens)
    }
}

/// Too many connections; the peer is told so before it is closed.
struct ConnectionRefusal: Error {
    let limit: Int

    /// The line that says so.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.writeError(Failures.limit(.tooManyConnections, limit))
        writer.endLine()
        return writer.bytes
    }
}

/// The state of the daemon that the server reports without knowing storage or back end.
public struct ServerFacts: Sendable {
    /// When the daemon was ready.
    public var startedAt: Timestamp
    /// Whether the state directory does not outlive the machine.
    public var isVolatile: Bool
    /// How many bytes the event log has.
    public var logBytes: @Sendable () -> Int
    /// Adds the measurements of the daemon's other parts.
    public var measurements: @Sendable (inout OpenMetricsText) -> Void

    /// Collects the facts.
    public init(
        startedAt: Timestamp, isVolatile: Bool, logBytes: @escaping @Sendable () -> Int,
        measurements: @escaping @Sendable (inout OpenMetricsText) -> Void = { _ in }
    ) {
        self.measurements = measurements
        self.startedAt = startedAt
        self.isVolatile = isVolatile
        self.logBytes = logBytes
    }
}
