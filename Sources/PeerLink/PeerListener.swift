import Glibc
public import Logging
public import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// Accepts links from other nodes. After its first line a link is a connection for the receiver.
public struct PeerListener: Sendable {
    private let security: PeerSecurity
    private let log: Logger

    /// Serves a link.
    public typealias Serving = @Sendable (_ greeting: [UInt8], _ socket: Int32) async throws -> Void

    /// The most bytes of the first line.
    static let greetingBytes = 1 << 16
    /// The time for TLS and the first line.
    static let patience = TimeAmount.seconds(5)

    /// Creates a listener.
    public init(_ security: PeerSecurity, log: Logger) {
        self.security = security
        self.log = log
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - address: Where other nodes reach this one.
    ///   - group: The threads that encrypt.
    ///   - serve: Receives the first line of a link, and a connected Unix stream socket with the bytes after
    ///     it. The receiver owns the socket. If it throws, it has closed the socket, and the link ends.
    /// - Returns: The listening channel.
    /// - Throws: The address cannot be used.
    public func listen(
        at address: PeerAddress, on group: any EventLoopGroup, _ serve: @escaping Serving
    ) async throws -> any Channel {
        let (security, log) = (security.server, log)
        let greetings = GreetingCount()
        var bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        for (option, value) in PeerSockets.options {
            bootstrap = bootstrap.childChannelOption(option, value: value)
        }
        return
            try await bootstrap
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard greetings.take() else { throw TooManyGreetings() }
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLServerHandler(context: security))
                    try operations.addHandler(Greeting(serve, greetings, log))
                }
            }
            .bind(host: address.host, port: address.port).get()
    }
}

/// Limits the number of links without a complete TLS handshake. Anyone on the network can open one.
private final class GreetingCount: Sendable {
    private static let limit = 256
    private let count = Mutex(0)

    func take() -> Bool {
        count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    func giveBack() { count.withLock { $0 -= 1 } }
}

private struct TooManyGreetings: Error {}

/// Reads the first line of a link, and connects the link with the receiver.
private final class Greeting: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let serve: PeerListener.Serving
    private let greetings: GreetingCount
    private let log: Logger
    private var lines = LineSplit()
    private var isDone = false
    private var isCounted = true
    private var deadline: Scheduled<Void>?

    init(_ serve: @escaping PeerListener.Serving, _ greetings: GreetingCount, _ log: Logger) {
        self.serve = serve
        self.greetings = greetings
        self.log = log
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: PeerListener.patience) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        giveBack()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { giveBack() }
        context.fireUserInboundEventTriggered(event)
    }

    private func giveBack() {
        guard isCounted else { return }
        isCounted = false
        greetings.giveBack()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        lines.add(&bytes)
        guard !isDone else { return }
        guard let line = lines.next() else {
            if lines.count > PeerListener.greetingBytes {
                refuse(context, "a first line without end")
            }
            return
        }
        isDone = true
        deadline?.cancel()
        // Reading stops until the socket of the receiver can take the bytes.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        connect(context, line)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        refuse(context, "\(error)")
    }

    private func refuse(_ context: ChannelHandlerContext, _ reason: String) {
        isDone = true
        log.notice(
            "refused a link of another node",
            metadata: [
                "reason": "\(reason)",
                "from": "\(context.channel.remoteAddress.map { "\($0)" } ?? "unknown")",
            ])
        context.close(promise: nil)
    }

    /// Makes a pair of sockets: the receiver gets one end, and the other is spliced to the link.
    private func connect(_ context: ChannelHandlerContext, _ greeting: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            return refuse(context, "no pair of sockets: \(String(cString: strerror(errno)))")
        }
        let (outer, inner) = (ends[0], ends[1])
        let link = context.channel
        let rest = NIOLoopBound(self, eventLoop: context.eventLoop)
        let (serve, log) = (serve, log)
        Task {
            do {
                try await serve(greeting, inner)
            } catch {
                log.notice("refused a link of another node", metadata: ["reason": "\(error)"])
                close(outer)
                return link.close(promise: nil)
            }
            _ = ClientBootstrap(group: link.eventLoop)
                .channelOption(.autoRead, value: false)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard link.isActive else { throw ChannelError.ioOnClosedChannel }
                        let (near, far) = Splice.pair()
                        try channel.pipeline.syncOperations.addHandler(far)
                        let handler = rest.value
                        let operations = link.pipeline.syncOperations
                        try operations.addHandler(near, position: .after(handler))
                        let bytes = handler.lines.rest()
                        if bytes.readableBytes > 0 { far.write(bytes) }
                        _ = operations.removeHandler(handler)
                    }
                }
                .withConnectedSocket(outer)
                .map { channel in
                    for channel in [channel, link] {
                        channel.setOption(.autoRead, value: true).whenComplete { _ in }
                    }
                }
                .flatMapErrorThrowing { _ in
                    // The channel has closed its socket.
                    link.close(promise: nil)
                }
        }
    }
}

/// One of two handlers that pass all bytes from one channel to the other. A channel is not read while the
/// output of the other one is full. Both channels are on one loop.
private final class Splice: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private weak var partner: Splice?
    private var context: ChannelHandlerContext?
    private var waiting: [ByteBuffer] = []

    static func pair() -> (Splice, Splice) {
        let (first, second) = (Splice(), Splice())
        first.partner = second
        second.partner = first
        return (first, second)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        for buffer in waiting { context.write(wrapOutboundOut(buffer), promise: nil) }
        if !waiting.isEmpty { context.flush() }
        waiting = []
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // If the channel ended before this handler was added, `channelInactive` is not called.
        partner?.finish()
    }

    func write(_ buffer: ByteBuffer) {
        guard let context else { return waiting.append(buffer) }
        context.writeAndFlush(wrapOutboundOut(buffer), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        partner?.write(unwrapInboundIn(data))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        partner?.setReading(context.channel.isWritable)
        context.fireChannelWritabilityChanged()
    }

    private func setReading(_ isReading: Bool) {
        try? context?.channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner?.finish()
        context.fireChannelInactive()
    }

    /// Closes this channel because the other one has ended. Bytes that the other channel has sent are written
    /// first.
    private func finish() {
        guard let context else { return }
        partner = nil
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete {
            [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
