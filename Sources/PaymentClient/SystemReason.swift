#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why the system refuses a connection, in words that a person can act on.
enum SystemReason {
    /// The phrase for an error number.
    static func phrase(_ number: Int32) -> String {
        switch number {
        case ENOENT: "there is no such file"
        case ENOTDIR: "a part of the path is not a directory"
        case ECONNREFUSED: "nobody listens there; a daemon that is gone may have left it behind"
        case EACCES, EPERM: "permission denied for this user"
        case ENOTSOCK, EPROTOTYPE: "that is not a stream socket"
        case EAGAIN: "too many clients wait to be accepted"
        default: "the system answered with error number \(number)"
        }
    }
}
