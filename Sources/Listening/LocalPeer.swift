package import NIOCore

extension Channel {
    /// Whether the peer is a process of this machine: connected by a Unix socket or from a loopback
    /// address.
    package var isOfThisMachine: Bool {
        if case .unixDomainSocket? = localAddress { return true }
        guard let peer = remoteAddress?.ipAddress else { return false }
        // An IPv4 peer of a dual-stack socket is written `::ffff:127.0.0.1`.
        return peer == "::1" || peer.hasPrefix("127.") || peer.hasPrefix("::ffff:127.")
    }
}
