#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The reasons of refused connections, in words that a user can act on.
enum SystemReason {
    /// The failure for an error number of `connect`.
    static func failure(_ number: Int32, path: String) -> ConnectionFailure {
        // The system reports ECONNREFUSED for regular files and directories, which would be
        // misleading.
        if path.isEmpty || isOtherThanSocket(path) {
            return .unreachable(
                path, because: "that is not a socket",
                advice: "name the daemon's socket with --socket or PAYQUEUED_SOCKET")
        }
        switch number {
        case EACCES, EPERM:
            return .unreachable(
                path, because: "permission denied: this user may not use the socket",
                advice: SocketAccess.find(path).advice)
        default:
            return .unreachable(path, because: phrase(number))
        }
    }

    private static func phrase(_ number: Int32) -> String {
        switch number {
        case ENOENT: "no such file"
        case ENOTDIR: "a part of the path is not a directory"
        case ECONNREFUSED:
            """
            no program listens there; the socket may be left over from a daemon that has ended
            """
        case ENOTSOCK, EPROTOTYPE: "that is not a stream socket"
        case EAGAIN: "too many clients are waiting to connect"
        default: "the system answered with error number \(number)"
        }
    }

    private static func isOtherThanSocket(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & S_IFMT != S_IFSOCK
    }
}
