import Hummingbird
import NIOCore

/// The context of a request.
struct StoreContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Whether the connection comes from a process of this machine. Request headers are not used,
    /// because clients can set them freely.
    let isOfThisMachine: Bool
    /// The client for limits on guesses: its address, or `unix` for all clients of a Unix socket.
    let address: String

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        isOfThisMachine = source.channel.isOfThisMachine
        address =
            source.channel.remoteAddress?.ipAddress.map { GuessDelay.key(ofAddress: $0) } ?? "unix"
    }
}

extension Channel {
    /// Whether the peer is a process of this machine: connected by a Unix socket or from a loopback
    /// address.
    fileprivate var isOfThisMachine: Bool {
        if case .unixDomainSocket? = localAddress { return true }
        guard let peer = remoteAddress?.ipAddress else { return false }
        // An IPv4 peer of a dual-stack socket is written `::ffff:127.0.0.1`.
        return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.")
    }
}
