import JSONRPC
import Logging
import NIOCore
import PaymentAPI
public import PaymentCore
import PaymentEngine
import StrictJSON

/// What all connections share. Lives on the event loop that owns the sockets.
final class ServerCore {
    let engine: PaymentEngine
    let limits: Limits
    let access: AccessPolicy
    let facts: ServerFacts
    let testControl: (any StoreTestControl)?
    let deliveries: DeliveryWriter
    let log: Logger
    let loop: NIOIsolatedEventLoop
    let eventLoop: any EventLoop
    var methods = MethodTable()
    var scanner: RequestScanner
    private(set) var connections: [UInt64: Connection] = [:]
    private(set) var isDraining = false
    private(set) var stalledCloses: UInt64 = 0
    private var nextConnection: UInt64

    init(
        engine: PaymentEngine, limits: Limits, access: AccessPolicy, facts: ServerFacts,
        testControl: (any StoreTestControl)?, log: Logger, loop: any EventLoop
    ) {
        self.engine = engine
        self.limits = limits
        self.access = access
        self.facts = facts
        self.testControl = testControl
        self.log = log
        self.loop = loop.assumeIsolated()
        eventLoop = loop
        deliveries = DeliveryWriter(engine: engine)
        scanner = RequestScanner(
            limits: JSONLimits(maximumDepth: limits.depth, maximumTokens: limits.tokens))
        // The incarnation in the upper half keeps tokens of different starts apart in the journal.
        nextConnection = engine.queue.incarnation << 32 | 1
        registerMethods()
    }

    /// Takes a peer in, or says why not.
    func accept(_ peer: PeerCredentials) -> Result<Connection, ConnectionRefusal> {
        guard connections.count < limits.connections else {
            return .failure(ConnectionRefusal(limit: limits.connections))
        }
        let ofUser = connections.values.count { $0.peer.uid == peer.uid }
        guard access.isTrusted(peer) || ofUser < limits.connectionsPerUser else {
            return .failure(ConnectionRefusal(limit: limits.connectionsPerUser))
        }
        let connection = Connection(server: self, number: nextConnection, peer: peer)
        nextConnection += 1
        connections[connection.number] = connection
        return .success(connection)
    }

    /// Forgets a connection that is gone.
    func remove(_ connection: Connection) {
        connections[connection.number] = nil
    }

    /// Goes on with the lines that a connection has already sent, after everybody else's.
    func continueReading(_ connection: Connection) {
        loop.execute { connection.readLines() }
    }

    /// Counts a peer that was given up because it took nothing.
    func countStalledClose() {
        stalledCloses += 1
        log.notice("closed a peer that took no byte for the time allowed")
    }

    /// Tells every peer that the daemon goes away and lets them go.
    func closeAll(reason: ClosingReason, graceMs: Int) {
        isDraining = true
        var line = JSONWriter()
        line.closing(reason: reason, graceMs: graceMs, head: engine.durableHead)
        for connection in connections.values { connection.closeInOrder(saying: line) }
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

/// What the server tells about the daemon without knowing storage or back end.
public struct ServerFacts: Sendable {
    /// When the daemon was ready.
    public var startedAt: Timestamp
    /// Whether the state directory does not outlive the machine.
    public var isVolatile: Bool
    /// How many bytes the event log has.
    public var logBytes: @Sendable () -> Int
    /// The country of an ISO 3166-1 code of two or three letters.
    public var country: @Sendable (String) -> CountryCode?

    /// Collects the facts.
    public init(
        startedAt: Timestamp, isVolatile: Bool, logBytes: @escaping @Sendable () -> Int,
        country: @escaping @Sendable (String) -> CountryCode?
    ) {
        self.country = country
        self.startedAt = startedAt
        self.isVolatile = isVolatile
        self.logBytes = logBytes
    }
}
