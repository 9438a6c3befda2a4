import Glibc

/// The peer of a connection, as the kernel saw it when the connection was made.
///
/// Authorisation goes by user and group; the process id may belong to another process by now
/// and is for messages only.
public struct PeerCredentials: Sendable, Hashable {
    /// The process that connected.
    public var pid: Int32
    /// Its user.
    public var uid: UInt32
    /// Its group.
    public var gid: UInt32

    /// Creates credentials.
    public init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }

    /// Asks the kernel about a connected Unix socket; nil if it does not say.
    public init?(descriptor: Int32) {
        // The layout of struct ucred, which the Glibc module does not show.
        var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
            return nil
        }
        self.init(pid: credentials.pid, uid: credentials.uid, gid: credentials.gid)
    }
}
