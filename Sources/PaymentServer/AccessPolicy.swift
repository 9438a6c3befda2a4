public import PaymentAPI

/// The roles of a peer, by its user and groups.
public struct AccessPolicy: Sendable, Hashable {
    /// Roles of every peer that can open the socket.
    public var everybody: Set<Role> = [.observe, .buy, .gate]
    /// Roles by user id, instead of those for all.
    public var users: [UInt32: Set<Role>] = [:]
    /// Roles by group id, instead of those for all, for users that are not named. A member of several
    /// has the roles of all of them.
    public var groups: [UInt32: Set<Role>] = [:]
    /// The daemon's own user, who holds all roles, as root does.
    public var ownUser: UInt32

    /// The default policy.
    public init(ownUser: UInt32) {
        self.ownUser = ownUser
    }

    /// Whether limits per user do not hold for a peer.
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
