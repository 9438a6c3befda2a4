import JSONRPC
import Logging
import NIOCore
import PaymentAPI
import PaymentCore
import PaymentEngine
import SandboxControl
import StrictJSON

/// Accepts connections, gives them roles and counts them. Lives on the event loop that owns the sockets.
final class ServerCore {
    let context: HandlerContext
    let dispatcher: RequestDispatcher
    let deliveries: DeliveryWriter
    let feed: StoreFeed
    let log: Logger
    private(set) var access: AccessPolicy
    private(set) var connections: [UInt64: Connection] = [:]
    /// The store of connections that outlive the process; nil if there is none.
    let connectionStore: (any ConnectionStore)?
    /// Whether reading has stopped, because another process continues the connections.
    var isHolding = false
    /// The memory of replies that peers have not read.
    var unread = UnreadReplies()
    /// The refusals of users.
    var refusals = RefusalMeter()
    /// The number of connected scrapers.
    private var scrapers = 0
    /// The last measurements for scrapers, and their time.
    private var scraped: (text: String, at: NIODeadline)?
    var nextConnection: UInt64

    init(
        engine: PaymentEngine, limits: Limits, access: AccessPolicy, facts: ServerFacts,
        testControl: (any StoreTestControl)?, daemon: (any DaemonControl)? = nil,
        connectionStore: (any ConnectionStore)? = nil, log: Logger, loop: any EventLoop,
        doorbell: Doorbell? = nil
    ) {
        context = HandlerContext(
            engine: engine, limits: limits, facts: facts, daemon: daemon, loop: loop,
            doorbell: doorbell)
        context.exempt(access.ownUser)
        dispatcher = RequestDispatcher(context)
        deliveries = DeliveryWriter(engine: engine)
        feed = StoreFeed(engine: engine)
        self.log = log
        self.access = access
        self.connectionStore = connectionStore
        // The incarnation in the upper half distinguishes the connections of different starts in the journal.
        nextConnection = engine.queue.incarnation << 32 | 1
        let store = StoreControl(control: testControl, feed: feed, eventLoop: loop)
        dispatcher.methods.registerAll(self, store)
    }

    var engine: PaymentEngine { context.engine }
    var limits: Limits { context.limits }
    var admission: Admission { context.admission }
    var loop: NIOIsolatedEventLoop { context.loop }

    /// Whether connections are being closed or handed over.
    var isLeaving: Bool { context.isStopping || isHolding }

    /// Accepts a peer, or refuses it because of a limit.
    ///
    /// - Parameters:
    ///   - peer: The peer.
    ///   - remote: The client at another node that the connection serves; nil for a client of this node.
    /// - Returns: The connection, or the refusal.
    func accept(
        _ peer: PeerCredentials, as remote: RemoteCaller? = nil
    ) -> Result<Connection, ConnectionRefusal> {
        do throws(ErrorObject) {
            let ofUser = context.shares.connections.held[peer.uid] ?? 0
            guard remote == nil && access.isTrusted(peer) || ofUser < limits.connectionsPerUser
            else {
                throw Failures.limit(.tooManyConnections, limits.connectionsPerUser)
            }
            try context.require(.connections, for: peer.uid, full: .tooManyConnections)
        } catch {
            context.counters.refused += 1
            note(error, of: peer.uid, method: nil)
            return .failure(ConnectionRefusal(error: error))
        }
        let connection = Connection(
            server: self,
            Caller(
                number: nextConnection, peer: peer,
                roles: RoleBits(remote?.roles ?? access.roles(of: peer)),
                clientName: remote?.clientName, isRemote: remote != nil))
        // A remote client needs no handover, because its node connects again.
        if let connectionStore, remote == nil {
            connection.handover = StoredHandover(
                store: connectionStore, name: "\(StoredHandover.prefix)\(nextConnection)")
        }
        nextConnection += 1
        context.counters.accepted += 1
        add(connection)
        return .success(connection)
    }

    /// Accepts a scraper; false if there are too many already.
    func takeScraper(upTo limit: Int) -> Bool {
        guard scrapers < limit else { return false }
        scrapers += 1
        return true
    }

    /// Notes that an accepted scraper has disconnected.
    func leaveScraper() {
        scrapers -= 1
    }

    /// The measurements for scrapers, at most 20 ms old. Scrapers that ask without a pause share one report.
    var scrapedText: String {
        let now = NIODeadline.now()
        if let scraped, now - scraped.at < .milliseconds(20) { return scraped.text }
        let text = MetricsReport(core: self).text
        scraped = (text, now)
        return text
    }

    /// Counts a connection as open.
    func add(_ connection: Connection) {
        connections[connection.caller.number] = connection
        context.shares.connections.take(for: connection.user)
    }

    /// Removes a connection that is gone.
    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.caller.number) != nil else { return }
        context.shares.connections.giveBack(of: connection.user)
        context.forwarder?.close(connection, hasLeft: !isLeaving)
    }

    /// Counts a connection that is closed because its peer reads nothing.
    func countStalledClose() {
        context.counters.stalledCloses += 1
        log.notice("closed a connection whose peer read nothing for the time allowed")
    }

    /// Answers the received requests, then sends every peer the last line, and closes the connections.
    func closeAll(reason: ClosingReason, graceMs: Int) {
        context.stop()
        let line = closingLine(reason, graceMs: graceMs)
        for connection in connections.values { connection.finish(saying: line) }
    }

    /// The last line of a connection.
    func closingLine(_ reason: ClosingReason, graceMs: Int) -> JSONWriter {
        var line = JSONWriter()
        line.closing(reason: reason, graceMs: graceMs, head: engine.durableHead)
        return line
    }

    /// Applies other limits and roles. A peer that may not observe any more loses its subscriptions.
    func use(_ limits: Limits, _ access: AccessPolicy) {
        self.access = access
        var limits = limits
        limits.exemptUser = access.ownUser
        context.limits = limits
        dispatcher.useLimits()
        engine.use(limits)
        for connection in connections.values.sorted(by: { $0.caller.number < $1.caller.number }) {
            connection.reader.limitBytes = limits.requestLineBytes
            // The roles of a remote client come from its node.
            guard !connection.caller.isRemote else { continue }
            let roles = access.roles(of: connection.caller.peer)
            let areOthers = roles != connection.caller.roles.set
            give(roles, to: connection)
            if areOthers { context.forwarder?.redial(for: connection) }
        }
        unread.wake()
    }

    /// Changes the roles of a connection, and with them the events and questions that it receives.
    func give(_ roles: Set<Role>, to connection: Connection) {
        connection.caller.roles = RoleBits(roles)
        let agents = Set(
            AgentKind.allCases.filter { kind in
                roles.contains(.gate) && (kind != .login || roles.contains(.buy))
            })
        for subscription in connection.subscriptions {
            engine.catchUp.allow(subscription, toAnswer: roles.contains(.gate), asAgents: agents)
        }
        if !roles.contains(.observe) { connection.endSubscriptions() }
    }
}

/// The refusal of a connection, because the user or all users together have too many. The peer receives the error
/// before the connection closes.
struct ConnectionRefusal: Error {
    let error: ErrorObject

    /// The error as a line.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.writeError(error)
        writer.endLine()
        return writer.bytes
    }
}
