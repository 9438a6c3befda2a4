import NIOCore
import NIOTLS
import Synchronization

/// A message of the node that was dialled, or the end of its link.
public enum PeerNews: Sendable {
    /// A line, without its end.
    case line([UInt8])
    /// The link has ended. If it was never open, nothing was sent.
    case ended(wasOpen: Bool)
}

/// A link to another node. It keeps lines until it is open.
public final class PeerConnection: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isOpen = false
        var isClosed = false
        var isEnded = false
        var waiting: [UInt8]
        var onEnd: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>
    private let received: @Sendable (PeerNews) -> Void

    init(_ greeting: [UInt8], _ received: @escaping @Sendable (PeerNews) -> Void) {
        state = Mutex(State(waiting: greeting))
        self.received = received
    }

    /// Sends whole lines. Lines sent before the link is open are kept until it is.
    public func send(_ lines: [UInt8]) {
        let channel = state.withLock { state -> (any Channel)? in
            guard state.isOpen else {
                state.waiting += lines
                return nil
            }
            return state.channel
        }
        channel?.writeAndFlush(ByteBuffer(bytes: lines), promise: nil)
    }

    /// Closes the link. After that only its end is received.
    public func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        channel?.close(promise: nil)
        // Reports the end at once. A vanished peer would never answer the closing message of TLS.
        end()
    }

    /// Takes the channel of the new connection. Its TLS handshake may not be complete.
    func use(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            state.channel = channel
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    /// Whether the TLS handshake is complete.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Called when the TLS handshake is complete. Sends the lines that were kept.
    func open(_ channel: any Channel) {
        let lines = state.withLock { state -> [UInt8]? in
            guard !state.isClosed else { return nil }
            state.channel = channel
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let lines else { return channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer(bytes: lines), promise: nil)
    }

    func take(_ line: [UInt8]) {
        guard !state.withLock({ $0.isClosed }) else { return }
        received(.line(line))
    }

    func onEnd(_ body: @escaping @Sendable () -> Void) {
        let isEnded = state.withLock { state in
            guard state.onEnd == nil, !state.isClosed else { return true }
            state.onEnd = body
            return false
        }
        if isEnded { body() }
    }

    /// Reports the end of the link. A second call changes nothing.
    func end() {
        let (isFirst, wasOpen, onEnd) = state.withLock { state in
            let first = !state.isEnded
            state.isEnded = true
            state.isClosed = true
            return (first, state.isOpen, state.onEnd)
        }
        guard isFirst else { return }
        onEnd?()
        received(.ended(wasOpen: wasOpen))
    }
}

/// Reads the owner's lines.
final class PeerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let link: PeerConnection
    private var lines = LineSplit()
    /// The longest line. A reply is much shorter.
    private static let limitBytes = 64 << 20

    init(_ link: PeerConnection) {
        self.link = link
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event { link.open(context.channel) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        lines.add(&bytes)
        while let line = lines.next() { link.take(line) }
        if lines.count > Self.limitBytes { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        link.end()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
