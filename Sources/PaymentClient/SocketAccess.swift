#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The obstacle between a user and a socket, with advice to overcome it.
package struct SocketAccess {
    /// The kinds of obstacles.
    package enum Obstacle: Sendable {
        /// The socket: connecting requires write permission.
        case socket
        /// A directory on the path: traversal requires execute permission.
        case directory
    }

    /// The user's membership in the group of the obstacle.
    package enum Membership: Sendable {
        /// The user is not a member.
        case none
        /// The user is a member by the group database, but this login session is older.
        case afterLogin
        /// This process is in the group.
        case effective
    }

    /// The kind of the obstacle.
    package var obstacle = Obstacle.socket
    /// The path of the obstacle.
    package var path: String
    /// The permission bits of the obstacle.
    package var mode: UInt32 = 0
    /// The names or numbers of its owner and group.
    package var owner = ""
    package var group = ""
    /// The user's membership in that group.
    package var membership = Membership.none
    /// The name of the user of this process; nil if it has none.
    package var user: String?

    /// Creates a description of an obstacle.
    package init(path: String) {
        self.path = path
    }

    /// Finds the obstacle for a socket that the system denied to this process.
    ///
    /// - Parameter path: The path of the socket.
    /// - Returns: The first directory that cannot be traversed, else the socket.
    package static func find(_ path: String) -> SocketAccess {
        var access = SocketAccess(path: blockedFolder(path) ?? path)
        access.obstacle = access.path == path ? .socket : .directory
        access.user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
        var info = stat()
        guard stat(access.path, &info) == 0 else { return access }
        access.mode = UInt32(info.st_mode) & 0o777
        access.owner =
            getpwuid(info.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(info.st_uid)"
        access.group =
            getgrgid(info.st_gid).map { String(cString: $0.pointee.gr_name) } ?? "\(info.st_gid)"
        access.membership = membership(of: info.st_gid, user: access.user)
        return access
    }

    /// The advice, without a full stop. It names the group only if the group has access and the
    /// login session is not in it. A running session does not notice that its user joined a group.
    package var advice: String {
        let needed: UInt32 = obstacle == .socket ? 0o020 : 0o010
        guard mode & needed != 0, membership != .effective, group != "root", let user else {
            return askOwner
        }
        let login = "then log out and in again, or type 'newgrp \(group)' in this shell"
        return membership == .afterLogin
            ? "'\(user)' joined the group '\(group)' after this login: log out and in again, or type "
                + "'newgrp \(group)' in this shell"
            : "join the group with 'sudo usermod -aG \(group) \(user)', \(login)"
    }

    private var askOwner: String {
        let who = owner.isEmpty ? "the owner" : "'\(owner)'"
        return obstacle == .socket
            ? "use sudo, or ask \(who) to open the socket with 'socketMode' and 'socketGroup' in the "
                + "configuration, or SocketMode= and SocketGroup= in payqueued.socket"
            : "use sudo, or ask \(who) to give others access to the directory '\(path)'"
    }

    /// The first directory on the path that cannot be traversed.
    private static func blockedFolder(_ path: String) -> String? {
        var folder = path.hasPrefix("/") ? "/" : "."
        for name in path.split(separator: "/").dropLast() {
            folder += (folder.hasSuffix("/") ? "" : "/") + name
            if access(folder, X_OK) != 0 { return folder }
        }
        return nil
    }

    private static func membership(of group: gid_t, user: String?) -> Membership {
        var effective = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(effective.count), &effective)
        effective = effective.prefix(Int(max(0, count))) + [getegid()]
        if effective.contains(group) { return .effective }
        guard let user, let entry = getgrgid(group), var member = entry.pointee.gr_mem else {
            return .none
        }
        while let name = member.pointee {
            if String(cString: name) == user { return .afterLogin }
            member += 1
        }
        return .none
    }
}
