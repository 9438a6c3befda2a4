#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The obstacle between a user and a socket, and the advice that helps.
package struct SocketAccess {
    /// The obstacle.
    package enum Obstacle: Sendable {
        /// The socket itself: connecting takes the right to write.
        case socket
        /// A directory on the way to it: passing takes the right to execute.
        case directory
    }

    /// How the user belongs to the group of the obstacle.
    package enum Membership: Sendable {
        /// Not at all.
        case none
        /// By the group database, which this login session was started before.
        case afterLogin
        /// This process is in the group.
        case effective
    }

    /// The obstacle.
    package var obstacle = Obstacle.socket
    /// Its path.
    package var path: String
    /// Its permission bits.
    package var mode: UInt32 = 0
    /// The user and the group that own it, by name or number.
    package var owner = ""
    package var group = ""
    /// How the user belongs to that group.
    package var membership = Membership.none
    /// The user that this process runs as; nil for a number without a name.
    package var user: String?

    /// Describes an obstacle.
    package init(path: String) {
        self.path = path
    }

    /// Finds what keeps this process from a socket that the system denied it.
    ///
    /// - Parameter path: The socket.
    /// - Returns: The first directory on the way that may not be passed, else the socket.
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

    /// The advice, without a full stop. A group is named only if that helps: it must be allowed in, and
    /// a session that is running does not notice that its user joined a group.
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

    /// The first directory on the way that may not be passed.
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
