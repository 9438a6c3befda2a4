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
    /// The store of connections over the end of the process, if there is one.
    let connectionStore: (any ConnectionStore)?
    /// Whether nothing more is read, because another process continues the connections.
    var isHolding = false
    /// The ends of large replies.
    var tails = ReplyTails()
    /// The memory of replies that peers have not read.
    var unread = UnreadReplies()
    /// The refusals that are about users.
    var refusals = RefusalMeter()
    /// How many scrapers are connected.
    private var scrapers = 0
    /// The measurements that scrapers were given last, and when.
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
        // The incarnation in the upper half keeps tokens of different starts apart in the journal.
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
    ///   - remote: The client that it is for another node; nil for a client of this one.
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
        // The node of a remote client dials again.
        if let connectionStore, remote == nil {
            connection.handover = StoredHandover(
                store: connectionStore, name: "\(StoredHandover.prefix)\(nextConnection)")
        }
        nextConnection += 1
        context.counters.accepted += 1
        add(connection)
        return .success(connection)
    }

    /// Accepts a scraper.
    ///
    /// - Returns: False if there are too many already.
    func takeScraper(upTo limit: Int) -> Bool {
        guard scrapers < limit else { return false }
        scrapers += 1
        return true
    }

    /// A scraper that was accepted has left.
    func leaveScraper() {
        scrapers -= 1
    }

    /// The measurements for scrapers, at most 20 ms old: scrapers that ask without a pause share one report.
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
        context.forwarder?.close(connection)
    }

    /// Counts a connection that is closed because its peer reads nothing.
    func countStalledClose() {
        context.counters.stalledCloses += 1
        log.notice("closed a connection whose peer read nothing for the time allowed")
    }

    /// Answers what was received, tells every peer that the daemon stops, and closes the connections.
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

    /// Puts other limits and roles into effect. A peer that may not observe any more loses its subscriptions.
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

    /// Gives a connection other roles. A peer that may not observe receives no more events, and one that
    /// may not answer questions receives none.
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

/// Too many connections, of the user or of all; the peer receives the error before it is closed.
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
