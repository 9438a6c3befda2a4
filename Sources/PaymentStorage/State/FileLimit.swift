private import Glibc

/// The limit of open files of this process.
public enum FileLimit {
    /// The files that a program with an event loop opens before its first client. With fewer the event
    /// loops trap when they are created.
    private static let least: UInt64 = 32

    /// Checks that the soft limit lets a program start.
    ///
    /// - Throws: `.system` if the limit is below 32 files.
    public static func check() throws(StartFailure) {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < least
        else { return }
        throw .system(
            """
            Too many open files: the limit is \(limit.rlim_cur), and at least \(least) are \
            needed (LimitNOFILE=, ulimit -n)
            """)
    }
}
