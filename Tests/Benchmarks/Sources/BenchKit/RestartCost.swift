import Glibc

/// The cost of open transactions: memory, and a restart beside one of Redis with as many records.
public struct RestartCost {
    /// The path of the daemon.
    public var payqueued: String
    /// The path of the Redis server; nil leaves Redis out.
    public var redis: String?
    /// The number of open transactions, and of records of 300 bytes in Redis.
    public var records: Int
    /// The number of restarts of each.
    public var rounds: Int
    /// The file system for the files.
    public var directory: String

    private static let loadSeconds = 3_600.0

    /// Plans a measurement.
    public init(
        payqueued: String, redis: String?, records: Int, rounds: Int, directory: String
    ) {
        self.payqueued = payqueued
        self.redis = redis
        self.records = records
        self.rounds = rounds
        self.directory = directory
    }

    /// The figures of one server: each a median of the rounds.
    private struct Cost {
        /// Seconds from the start of the process to its first reply.
        var start: Double
        /// The same after a kill.
        var startAfterKill: Double
        /// Seconds that the server itself counted for loading; nil if it does not say.
        var loading: Double?
        /// Resident bytes after a restart.
        var resident: Double
        /// The highest number of resident bytes of a restart.
        var peak: Double
    }

    /// Measures everything.
    ///
    /// - Parameter progress: Receives the next step, for people who wait.
    /// - Returns: The figures.
    /// - Throws: A server refused a request, or had another number of records after a restart.
    public func run(progress: (String) -> Void) throws(BenchFailure) -> [Figure] {
        let empty = try emptyBytes()
        let mine = try measure(.payqueued(payqueued), progress)
        let mebibyte = Double(1 << 20)
        var figures = [
            Figure("open transactions", Double(records), decimals: 0),
            Figure("memory after a restart, MiB", mine.resident / mebibyte, decimals: 1),
            Figure("memory during a restart, at most, MiB", mine.peak / mebibyte, decimals: 1),
            Figure(
                "memory of each, bytes", (mine.resident - empty) / Double(records), limit: 150,
                decimals: 1),
            Figure("restart to the first reply, s", mine.start),
            Figure("the same after a kill, s", mine.startAfterKill),
        ]
        guard let redis else { return figures }
        let other = try measure(.redisWithRecords(redis), progress)
        guard let loading = other.loading else {
            throw BenchFailure("Redis did not say how long it loaded")
        }
        figures += [
            Figure("Redis: memory after a restart, MiB", other.resident / mebibyte, decimals: 1),
            Figure("Redis: loading by its log, s", loading),
            Figure("Redis: restart to the first reply, s", other.start),
            Figure("restart, as a ratio to loading of Redis", mine.start / loading, limit: 0.7),
            Figure("the same after a kill", mine.startAfterKill / loading),
            Figure("memory, as a ratio to Redis", mine.resident / other.resident, limit: 0.6),
        ]
        return figures
    }

    private func emptyBytes() throws(BenchFailure) -> Double {
        let scratch = try TemporaryDirectory(in: directory)
        let process = try Server.payqueued(payqueued).start(in: scratch.path)
        defer { process.end() }
        _ = try process.ask(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#)
        return Double(try process.residentBytes())
    }

    private func measure(
        _ server: Server, _ progress: (String) -> Void
    ) throws(BenchFailure) -> Cost {
        let scratch = try TemporaryDirectory(in: directory)
        progress("\(records) records in \(server.name)")
        let first = try server.start(in: scratch.path)
        defer { first.end() }
        let driver = LoadDriver(
            socket: first.socket, workload: server.workload,
            shape: Shape(connections: 50, depth: 16), warmUp: 0, seconds: Self.loadSeconds,
            requestLimit: records)
        let stored = try driver.run { () throws(BenchFailure) in 0 }.acknowledged
        first.end()
        var starts: [Double] = []
        var startsAfterKill: [Double] = []
        var loading: [Double] = []
        var resident: [Double] = []
        var peaks: [Double] = []
        for round in 1...rounds {
            progress("\(server.name), restart \(round) of \(rounds)")
            for isKilled in [true, false] {
                let began = monotonicNanoseconds()
                let process = try server.start(in: scratch.path)
                let found = try server.stored(by: process)
                let seconds = Double(monotonicNanoseconds() - began) / 1e9
                guard found == stored else {
                    throw BenchFailure("\(server.name) has \(found) of \(stored) records")
                }
                // The start before this one ended as its end says: the first with a clean stop.
                if isKilled { starts.append(seconds) } else { startsAfterKill.append(seconds) }
                resident.append(Double(try process.residentBytes()))
                peaks.append(Double(try process.peakBytes()))
                if let own = try server.loadingSeconds(in: scratch.path) { loading.append(own) }
                if isKilled { process.kill() } else { process.end() }
            }
        }
        return Cost(
            start: median(starts), startAfterKill: median(startsAfterKill),
            loading: loading.isEmpty ? nil : median(loading), resident: median(resident),
            peak: median(peaks))
    }
}
