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

    /// The number of connections that leave enough descriptors for the files of a program.
    ///
    /// - Parameter most: The number if the soft limit of open files is high or absent.
    /// - Returns: The number, at least eight.
    public static func connections(upTo most: Int) -> Int {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? most : min(most, max(limit - filesOfProgram, fewestConnections))
    }

    private static let filesOfProgram = 64
    private static let fewestConnections = 8
}
