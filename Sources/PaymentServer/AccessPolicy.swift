public import PaymentAPI

/// The roles of a peer, by its user and groups.
public struct AccessPolicy: Sendable, Hashable {
    /// The roles of every peer that can open the socket.
    public var everybody: Set<Role> = [.observe, .buy, .gate]
    /// The roles of single users by user id. They replace the roles of every peer.
    public var users: [UInt32: Set<Role>] = [:]
    /// The roles of groups by group id, for users without an entry of their own. They replace the
    /// roles of every peer. A member of several groups has the roles of all of them.
    public var groups: [UInt32: Set<Role>] = [:]
    /// The daemon's own user. It has all roles, as root does.
    public var ownUser: UInt32

    /// Creates the default policy.
    public init(ownUser: UInt32) {
        self.ownUser = ownUser
    }

    /// Whether a peer is root or the daemon's own user. Such a peer has all roles, and limits per
    /// user do not apply to it.
    public func isTrusted(_ peer: PeerCredentials) -> Bool {
        peer.uid == 0 || peer.uid == ownUser
    }

    /// The roles of a peer.
    public func roles(of peer: PeerCredentials) -> Set<Role> {
        if isTrusted(peer) { return Set(Role.allCases) }
        if let named = users[peer.uid] { return named }
        let granted = peer.groups.compactMap { groups[$0] }
        return granted.isEmpty ? everybody : granted.reduce(into: []) { $0.formUnion($1) }
    }
}
