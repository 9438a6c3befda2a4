import PaymentAPI
import PaymentCore

/// The peer of a connection as its requests see it.
struct Caller {
    /// The number of the connection. Records of its requests contain it.
    let number: UInt64
    let peer: PeerCredentials
    var roles: RoleBits
    /// The name that the client gave with `hello`.
    var clientName: OpaqueText?
    /// Whether it is a client of another node. That node has determined its roles, and sends it the
    /// events.
    var isRemote = false
}

/// A set of roles as bits, because every request checks a role.
struct RoleBits {
    private let bits: UInt8

    init(_ roles: Set<Role>) {
        bits = roles.reduce(0) { $0 | Self.bit(of: $1) }
    }

    /// The roles.
    var set: Set<Role> { Set(Role.allCases.filter(contains)) }

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
