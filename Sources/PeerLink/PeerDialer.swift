public import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// Opens links to the node that owns the queue.
public final class PeerDialer: Sendable {
    /// The node that owns the queue, and its term.
    public struct Owner: Sendable, Equatable {
        /// The address of the node.
        public var address: PeerAddress
        /// The term of the node as the owner.
        public var term: UInt64

        /// Creates an owner.
        public init(address: PeerAddress, term: UInt64) {
            self.address = address
            self.term = term
        }
    }

    private let security: PeerSecurity
    private let group: any EventLoopGroup
    private let state = Mutex(State())

    private struct State {
        var owner: Owner?
        var links: [UInt64: PeerConnection] = [:]
        var count: UInt64 = 0
        var didChange: (@Sendable () -> Void)?
    }

    /// The longest time to open a connection.
    private static let connectPatience = TimeAmount.seconds(2)

    /// The longest time to open a connection and complete its TLS handshake.
    private static let handshakePatience = TimeAmount.seconds(5)

    /// Creates a dialer.
    ///
    /// - Parameters:
    ///   - security: The certificates.
    ///   - group: The threads that encrypt.
    public init(_ security: PeerSecurity, on group: any EventLoopGroup) {
        self.security = security
        self.group = group
    }

    /// Registers a closure that is called whenever the owner has changed.
    public func onChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.didChange = body }
    }

    /// Dials another owner from now on; nil for none. The links to the former one end.
    public func use(_ owner: Owner?) {
        let (former, didChange) = state.withLock {
            state -> ([PeerConnection], (@Sendable () -> Void)?) in
            guard state.owner != owner else { return ([], nil) }
            state.owner = owner
            return (Array(state.links.values), state.didChange)
        }
        for link in former { link.close() }
        didChange?()
    }

    /// Whether there is an owner to dial.
    public var isReachable: Bool { state.withLock { $0.owner != nil } }

    /// Opens a link. It ends when another node becomes the owner.
    ///
    /// - Parameters:
    ///   - greeting: The first line.
    ///   - received: Receives what comes, in order, on any thread; the end comes last, and once.
    /// - Returns: The link; nil if there is no owner.
    public func dial(
        _ greeting: [UInt8], received: @escaping @Sendable (PeerNews) -> Void
    ) -> PeerConnection? {
        let made = state.withLock { state -> (PeerConnection, Owner, UInt64)? in
            guard let owner = state.owner else { return nil }
            state.count += 1
            let link = PeerConnection(greeting, received)
            state.links[state.count] = link
            return (link, owner, state.count)
        }
        guard let (link, owner, number) = made else { return nil }
        let context = security.client
        var bootstrap = ClientBootstrap(group: group).connectTimeout(Self.connectPatience)
        for (option, value) in PeerSockets.options {
            bootstrap = bootstrap.channelOption(option, value: value)
        }
        bootstrap
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(
                        NIOSSLClientHandler(
                            context: context, serverHostname: owner.address.serverName))
                    try operations.addHandler(PeerReader(link))
                    channel.eventLoop.scheduleTask(in: Self.handshakePatience) {
                        if !link.isOpen { channel.close(promise: nil) }
                    }
                }
            }
            .connect(host: owner.address.host, port: owner.address.port)
            .whenComplete { result in
                switch result {
                case .success(let channel): link.use(channel)
                case .failure: link.end()
                }
            }
        link.onEnd { [weak self] in
            self?.state.withLock { $0.links[number] = nil }
        }
        return link
    }
}
