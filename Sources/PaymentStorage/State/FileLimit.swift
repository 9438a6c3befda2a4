#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The limit of open files of this process.
public enum FileLimit {
    /// The files that a program with an event loop opens before its first client. With fewer the event
    /// loops trap when they are created.
    private static let least = 32

    /// Checks that the soft limit lets a program start.
    ///
    /// - Throws: `.system` if the limit is below 32 files.
    public static func check() throws(StartFailure) {
        // Negative without a limit.
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        guard (0..<least).contains(limit) else { return }
        throw .system(
            """
            Too many open files: the limit is \(limit), and at least \(least) are \
            needed (LimitNOFILE=, ulimit -n)
            """)
    }
}
