import Glibc

/// Which system calls a server makes under load, counted by `strace`.
///
/// Tracing slows the server down, so nothing is said about time; the counts for each request are
/// steady all the same.
public struct SystemCallCount: Sendable, Hashable {
    /// What served.
    public let server: String
    /// The load.
    public let shape: Shape
    /// Requests answered while calls were counted.
    public let requests: Int
    /// Calls by name.
    public let calls: [String: Int]

    /// Calls for each request, all kinds together.
    public var perRequest: Double {
        Double(calls.values.reduce(0, +)) / Double(max(1, requests))
    }

    /// Loads a server and counts.
    ///
    /// - Parameters:
    ///   - server: Started for this on a directory of its own.
    ///   - shape: The load.
    ///   - seconds: How long to count.
    ///   - directory: The file system for its files.
    /// - Returns: The counts.
    /// - Throws: If the server or `strace` does not run.
    public static func measure(
        _ server: Server, under shape: Shape, seconds: Double, in directory: String
    ) throws(BenchFailure) -> SystemCallCount {
        let scratch = try TemporaryDirectory(in: directory)
        let process = try server.start(in: scratch.path)
        defer { process.end() }
        let summary = scratch.path + "/strace"
        var tracer: Tracer?
        let driver = LoadDriver(
            socket: process.socket, workload: server.workload, shape: shape, warmUp: 0.2,
            seconds: seconds)
        let load = try driver.run { () throws(BenchFailure) in
            if let running = tracer {
                try running.stop()
            } else {
                tracer = try Tracer(of: process.pid, writingTo: summary)
            }
        }
        return SystemCallCount(
            server: server.name, shape: shape, requests: load.latencies.count,
            calls: parse(try contents(ofFile: summary)))
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

/// A running `strace` that was told to count.
private final class Tracer {
    private let pid: pid_t
    private var isStopped = false

    /// Attaches to all threads of a process and returns when it has done so.
    init(of traced: pid_t, writingTo path: String) throws(BenchFailure) {
        pid = try ServerProcess.spawn(
            ["strace", "-c", "-f", "-p", "\(traced)", "-o", path], environment: [:],
            log: path + ".log")
        for _ in 0..<500 {
            let status = try contents(ofFile: "/proc/\(traced)/status")
            if !status.contains("TracerPid:\t0\n") {
                // One thread is attached; the others follow within moments.
                usleep(100_000)
                return
            }
            usleep(10_000)
        }
        try stop()
        throw BenchFailure("strace did not attach: \(try contents(ofFile: path + ".log"))")
    }

    /// Detaches; the summary is complete when this returns.
    func stop() throws(BenchFailure) {
        guard !isStopped else { return }
        isStopped = true
        kill(pid, SIGINT)
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 {
            guard errno == EINTR else { throw failure("wait for strace") }
        }
    }
}
