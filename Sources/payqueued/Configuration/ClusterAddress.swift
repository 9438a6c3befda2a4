import PaymentStorage

/// The members of etcd and the prefix of all keys, from `etcd://HOST:PORT,…/PREFIX`.
struct ClusterAddress: Sendable, Equatable {
    /// Each member as host and port.
    let members: [String]
    /// The prefix of all keys, without slashes at its ends.
    let prefix: String

    /// Reads an address; nil if it is none.
    init?(_ text: String) {
        guard text.hasPrefix("etcd://") else { return nil }
        let rest = text.dropFirst("etcd://".count)
        guard let slash = rest.firstIndex(of: "/") else { return nil }
        members = rest[..<slash].split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        guard let prefix = ClusterMembership.prefix(of: rest[rest.index(after: slash)...]),
            members.allSatisfy(Self.isMember)
        else { return nil }
        self.prefix = prefix
    }

    /// Whether text is a host and a port; the host may be an IPv6 address in brackets.
    private static func isMember(_ text: String) -> Bool {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return false }
        let host = text[..<colon]
        let isAddress = host.hasPrefix("[") && host.hasSuffix("]")
        return port > 0 && !host.isEmpty && (isAddress || !host.contains(":"))
    }
}
