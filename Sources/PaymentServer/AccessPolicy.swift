public import PaymentAPI

/// Which roles a peer holds, by its user and group.
public struct AccessPolicy: Sendable, Hashable {
    /// Roles of everybody who can open the socket.
    public var everybody: Set<Role> = [.observe, .buy, .gate]
    /// Roles by user id, instead of everybody's.
    public var users: [UInt32: Set<Role>] = [:]
    /// Roles by group id, instead of everybody's, for users who are not named.
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
        return users[peer.uid] ?? groups[peer.gid] ?? everybody
    }
}

/// Roles as bits, for the question that every request asks.
struct RoleBits {
    private let bits: UInt8

    init(_ roles: Set<Role>) {
        bits = roles.reduce(0) { $0 | Self.bit(of: $1) }
    }

    func contains(_ role: Role) -> Bool {
        bits & Self.bit(of: role) != 0
    }

    private static func bit(of role: Role) -> UInt8 {
        switch role {
        case .observe: 1
        case .buy: 2
        case .gate: 4
        case .admin: 8
        }
    }
}
