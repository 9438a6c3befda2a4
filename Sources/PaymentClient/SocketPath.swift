#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The location of the daemon's socket.
public enum SocketPath {
    /// The path of the socket: the given one, `$PAYQUEUED_SOCKET`, the user's own daemon if its
    /// socket exists, else the system's.
    public static func find(_ named: String? = nil) -> String {
        if let named { return named }
        if let named = environment("PAYQUEUED_SOCKET"), !named.isEmpty { return named }
        if let runtime = environment("XDG_RUNTIME_DIR"), !runtime.isEmpty {
            let own = "\(runtime)/payqueued/payqueued.sock"
            if access(own, F_OK) == 0 { return own }
        }
        return "/run/payqueued/payqueued.sock"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
