import Glibc

/// The peer of a connection, as the kernel saw it when the connection was made.
///
/// Authorisation uses the user and the groups. The process id is for messages only, because it may
/// belong to another process by now.
public struct PeerCredentials: Sendable, Hashable {
    /// The process that connected.
    public var pid: Int32
    /// Its user.
    public var uid: UInt32
    /// Its primary group.
    public var gid: UInt32
    /// All its groups, the primary one included, each once and in ascending order.
    public private(set) var groups: [UInt32]

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - pid: The process.
    ///   - uid: Its user.
    ///   - gid: Its primary group.
    ///   - others: Its other groups.
    public init(pid: Int32, uid: UInt32, gid: UInt32, others: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        groups = Set(others + [gid]).sorted()
    }

    /// Reads the credentials of a connected Unix socket from the kernel; nil if the kernel does not
    /// provide them. If the kernel cannot provide the other groups, only the primary group is
    /// known.
    public init?(descriptor: Int32) {
        self.init(descriptor: descriptor, groupsOption: Self.peerGroups)
    }

    init?(descriptor: Int32, groupsOption: Int32) {
        // The layout of struct ucred, which the Glibc module does not declare.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0,
            let others = Self.groups(of: descriptor, option: groupsOption)
        else { return nil }
        self.init(
            pid: credentials.pid, uid: credentials.uid, gid: credentials.gid, others: others)
    }

    /// The option `SO_PEERGROUPS` of Linux 4.13 and later, which the Glibc module does not declare.
    private static let peerGroups: Int32 = 59

    /// The supplementary groups of a peer; none if the kernel does not have the option, nil if it fails.
    private static func groups(of descriptor: Int32, option: Int32) -> [UInt32]? {
        var groups = [UInt32](repeating: 0, count: 64)
        while true {
            let room = groups.count * MemoryLayout<UInt32>.stride
            var size = socklen_t(room)
            let result = getsockopt(descriptor, SOL_SOCKET, option, &groups, &size)
            let count = Int(size) / MemoryLayout<UInt32>.stride
            if result == 0 { return Array(groups.prefix(count)) }
            // The kernel is older than 4.13, or a sandbox hides the option.
            if errno == ENOPROTOOPT { return [] }
            // With ERANGE the kernel returns the required size.
            guard errno == ERANGE, Int(size) > room else { return nil }
            groups = [UInt32](repeating: 0, count: count)
        }
    }
}
