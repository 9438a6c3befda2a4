import Glibc

/// The system calls that a server makes, counted by `strace`.
///
/// Tracing slows the server down, so that times mean nothing meanwhile. The counts are steady.
public struct SystemCallCount: Sendable, Hashable {
    /// Calls by name.
    public let calls: [String: Int]

    /// All calls.
    public var total: Int { calls.values.reduce(0, +) }

    /// Calls that wait until data is on stable storage. A `pwritev2` does so by a flag.
    public var syncs: Int {
        ["fsync", "fdatasync", "sync_file_range", "pwritev2"].reduce(0) { $0 + (calls[$1] ?? 0) }
    }

    /// Counts while a load runs.
    ///
    /// - Parameters:
    ///   - process: The server.
    ///   - directory: The directory for the summary of `strace`.
    ///   - load: The load.
    /// - Returns: The calls of all threads of the server in this time.
    /// - Throws: `strace` does not run, or the load fails.
    static func during(
        _ process: ServerProcess, in directory: String, _ load: () throws(BenchFailure) -> Void
    ) throws(BenchFailure) -> SystemCallCount {
        let summary = directory + "/strace"
        let tracer = try Helper(
            ["strace", "-c", "-f", "-p", "\(process.pid)", "-o", summary], log: summary + ".log")
        try waitUntilTraced(process.pid, log: summary + ".log")
        try load()
        tracer.interrupt()
        return SystemCallCount(calls: parse(try contents(ofFile: summary)))
    }

    private static func waitUntilTraced(_ pid: pid_t, log: String) throws(BenchFailure) {
        for _ in 0..<500 {
            if !(try contents(ofFile: "/proc/\(pid)/status")).contains("TracerPid:\t0\n") {
                // One thread is attached; the others follow within moments.
                usleep(100_000)
                return
            }
            usleep(10_000)
        }
        throw BenchFailure("strace did not attach: \(try contents(ofFile: log))")
    }

    /// Reads the table that `strace -c` writes: the number of calls is the fourth column, the name
    /// the last; the errors in between may be blank.
    static func parse(_ summary: String) -> [String: Int] {
        let rows = summary.split(separator: "\n").map { $0.split(separator: " ") }
        var calls: [String: Int] = [:]
        for row in rows where row.count >= 5 && Double(row[0]) != nil && row.last != "total" {
            guard let name = row.last, let count = Int(row[3]) else { continue }
            calls[String(name)] = count
        }
        return calls
    }
}
