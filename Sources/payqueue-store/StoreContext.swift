import Hummingbird
import NIOCore

/// The context of a request.
struct StoreContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Whether the connection was made by a process of this machine. What the request says of itself
    /// is not asked: its sender chooses it.
    let isOfThisMachine: Bool

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        isOfThisMachine = source.channel.isOfThisMachine
    }
}

extension Channel {
    /// Whether the peer is a process of this machine: it came by a Unix socket, or from an address
    /// that no network routes.
    fileprivate var isOfThisMachine: Bool {
        if case .unixDomainSocket? = localAddress { return true }
        guard let peer = remoteAddress?.ipAddress else { return false }
        // An IPv4 peer of a socket for both kinds is written `::ffff:127.0.0.1`.
        return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.")
    }
}
