import Listening
public import Logging
public import NIOCore
import NIOPosix
import PaymentAPI
public import PaymentCore
public import PaymentEngine
public import SandboxControl

/// The Unix socket and its connections.
///
/// Everything runs on one event loop, which is also the engine's loop. A request is read, decided, synced
/// and answered there without a change of threads.
public struct PaymentServer: Sendable {
    /// The maximum number of connections that wait to be accepted: twice as many as a user may have by
    /// default. A further client waits in `connect`, or gets EAGAIN if its socket does not block. With a
    /// longer queue, one user could delay others by connecting and leaving.
    private static let backlog: Int32 = 128

    let core: NIOLoopBound<ServerCore>
    private let loop: any EventLoop

    /// Creates a server for an engine. Must be called on the loop.
    ///
    /// - Parameters:
    ///   - engine: The only writer of the queue.
    ///   - limits: The limits of clients.
    ///   - access: The roles of peers.
    ///   - facts: The state of the rest of the daemon, for `status`.
    ///   - testControl: The controls of the store, if it has any.
    ///   - daemon: The administrator's operations on the rest of the daemon, if there are any.
    ///   - connectionStore: The store of connections that outlive the process; nil if there is none.
    ///   - dialer: Connects to the owner of the queue, if other nodes share it.
    ///   - log: The log of the daemon.
    ///   - loop: The engine's loop.
    public init(
        engine: PaymentEngine, limits: Limits, access: AccessPolicy, facts: ServerFacts,
        testControl: (any StoreTestControl)?, daemon: (any DaemonControl)? = nil,
        connectionStore: (any ConnectionStore)? = nil, dialer: (any OwnerDialer)? = nil,
        log: Logger, loop: NIOEngineLoop
    ) {
        let core = ServerCore(
            engine: engine, limits: limits, access: access, facts: facts,
            testControl: testControl, daemon: daemon, connectionStore: connectionStore, log: log,
            loop: loop.loop, doorbell: loop.doorbell)
        core.context.forwarder = dialer.map { Forwarder($0, core.context) }
        self.core = NIOLoopBound(core, eventLoop: loop.loop)
        self.loop = loop.loop
    }

    /// Listens for clients.
    ///
    /// - Parameters:
    ///   - place: The socket.
    ///   - group: The event loop group of the server's loop.
    /// - Returns: The listening channel.
    /// - Throws: The socket cannot be used.
    public func listen(
        at place: ListeningPlace, on group: any EventLoopGroup
    ) async throws -> any Channel {
        let core = core
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(farewell: Self.farewell, log: core.value.log))
                }
            }
            .childChannelInitializer { channel in Self.take(channel, core) }
        return try await place.bind(bootstrap, backlog: Self.backlog)
    }

    /// Serves a connected socket, such as one end of a pair or a client of another node.
    ///
    /// - Parameters:
    ///   - descriptor: A connected Unix stream socket. The server owns it from now on.
    ///   - caller: The client at another node, with the identity and roles that its node has determined; nil if
    ///     the peer of the socket is the client.
    /// - Throws: The socket cannot be used.
    public func serve(descriptor: Int32, as caller: RemoteCaller? = nil) async throws {
        let core = core
        try await ClientBootstrap(group: loop)
            .channelInitializer { channel in Self.take(channel, core, as: caller) }
            .withConnectedSocket(descriptor)
            .map { _ in }
            .get()
    }

    /// Notes that the owner of the queue has changed, or has become known. May be called from any thread.
    public func ownerDidChange() {
        let core = core
        loop.execute { core.value.context.forwarder?.ownerDidChange() }
    }

    /// Receives a change that the store reports by itself. May be called from any thread. Changes reach
    /// the engine in the order of calls, after the reply to the request that caused them.
    public func storeDidChange(_ change: StoreChange) {
        let core = core
        loop.execute { core.value.feed.take(change) }
    }

    /// Puts other limits and roles into effect. Must be called on the loop.
    public func use(limits: Limits, access: AccessPolicy) {
        core.value.use(limits, access)
    }

    /// Answers the received requests, then sends every peer the last line, and closes the connections.
    public func closeAll(graceMs: Int) async throws {
        let core = core
        try await loop.submit { core.value.closeAll(reason: .shutdown, graceMs: graceMs) }.get()
    }

    /// The number of connections. Must be called on the loop.
    public var connectionCount: Int { core.value.connections.count }

    /// A measure of the remaining work on connections that are closing and have not received their last
    /// line: it falls with each answer and is 0 at the end. Peers that do not read are left out, because
    /// their work cannot end without them. Must be called on the loop.
    public var unansweredWork: Int {
        core.value.connections.values.reduce(0) { work, connection in
            guard connection.requests.closingLine != nil, !connection.isClosing,
                connection.hasRoomForReplies || connection.requests.isHeldUp
            else { return work }
            let elements = connection.requests.heldBatch?.elementsBehind ?? 0
            return work + 1 + connection.reader.unreadBytes + elements
        }
    }

    /// The line for a connection that cannot be accepted.
    private static func farewell(_ reason: AcceptPause.Reason) -> [UInt8] {
        let error =
            switch reason {
            case .limit: ErrorCode.tooManyConnections.object()
            case .shortage(let text): Failures.cannotAccept(text)
            }
        return ConnectionRefusal(error: error).line
    }

    private static func take(
        _ channel: any Channel, _ core: NIOLoopBound<ServerCore>, as remote: RemoteCaller? = nil
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let kernels = { channel.descriptor.flatMap { PeerCredentials(descriptor: $0) } }
            guard let peer = remote?.peer ?? kernels() else { throw UnknownPeer() }
            switch core.value.accept(peer, as: remote) {
            case .success(let connection):
                try ClientSocket.give(channel, to: connection)
            case .failure(let refusal):
                channel.turnAway(refusal.line)
            }
        }
    }
}

/// The kernel did not name the peer, so it is not served.
struct UnknownPeer: Error {}
