import Glibc

/// A restart with many open transactions against one of Redis with as many records of 300 bytes, memory,
/// and the start of an idle daemon.
final class RestartRows: RowGroup {
    private let options: Options
    private let progress: (String) -> Void
    private var own: FilledServer?
    private var peer: FilledServer?
    /// The resident bytes of an idle daemon, measured in the first round.
    private var idle: Double?
    /// How long a daemon is idle before that. It gives back memory after 15 seconds.
    private static let idleSeconds: UInt32 = 17

    init(_ options: Options, _ progress: @escaping (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    var title: String { "restart and memory" }

    private static let mebibyte = Double(1 << 20)

    func measure(into report: inout Report) throws(BenchFailure) {
        let empty = try measureEmpty(into: &report)
        let own =
            if let own = self.own { own } else { try fill(.payqueued(options.payqueued)) }
        self.own = own
        let mine = try own.restart()
        let name = "\(options.records) open"
        var theirs: FilledServer.Cost?
        if let redis = options.redis {
            let peer = if let peer = self.peer { peer } else { try fill(.redis(redis)) }
            self.peer = peer
            theirs = try peer.restart()
        }
        func record(
            _ what: String, _ unit: String, _ own: Double, _ peer: Double?, _ peerName: String?,
            _ goal: Goal?
        ) {
            report.record(
                Row(
                    .p6, "\(what), \(name)", unit: unit, peer: peerName, goal: goal, decimals: 2),
                Reading(own, peer: peer))
        }
        record(
            "restart to the first reply", "s", mine.start, theirs?.loading,
            "Redis, loading by its log",
            .ratio(.atMost, 0.7))
        record(
            "the same after a kill", "s", mine.startAfterKill, theirs?.loading,
            "Redis, loading by its log", nil)
        record(
            "resident after a restart", "MiB", mine.resident / Self.mebibyte,
            theirs.map { $0.resident / Self.mebibyte }, "Redis", .ratio(.atMost, 0.6))
        record(
            "resident at most during a restart", "MiB", mine.peak / Self.mebibyte,
            theirs.map { $0.peak / Self.mebibyte }, "Redis", nil)
        record(
            "memory of each", "bytes", (mine.resident - empty) / Double(options.records), nil, nil,
            .value(.atMost, 150))
    }

    /// A daemon with an empty state.
    ///
    /// - Returns: Its resident bytes after the start.
    private func measureEmpty(into report: inout Report) throws(BenchFailure) -> Double {
        let server = Server.payqueued(options.payqueued)
        let (resident, idle) = try server.withFresh(in: options.directory) {
            process, _ throws(BenchFailure) in
            _ = try process.ask(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#)
            let resident = Double(try process.residentBytes())
            if let idle = self.idle { return (resident, idle) }
            progress("an idle daemon, for \(Self.idleSeconds) s")
            sleep(Self.idleSeconds)
            return (resident, Double(try process.residentBytes()))
        }
        self.idle = idle
        let ready = try TemporaryDirectory.withNew(in: options.directory) {
            directory throws(BenchFailure) in
            let notices = try NotifySocket(at: directory + "/notify")
            let began = monotonicNanoseconds()
            let process = try server.start(
                in: directory, environment: ["NOTIFY_SOCKET": notices.path], isAwaited: false)
            defer { process.end() }
            try notices.waitUntilReady()
            return seconds(since: began) * 1e3
        }
        report.record(
            Row(
                .p6, "resident, idle, empty state", unit: "MiB", goal: .value(.atMost, 12),
                decimals: 1), Reading(idle / Self.mebibyte))
        report.record(
            Row(
                .p6, "start to READY=1, empty state", unit: "ms", goal: .value(.atMost, 30),
                decimals: 1), Reading(ready))
        return resident
    }

    private func fill(_ server: Server) throws(BenchFailure) -> FilledServer {
        progress("\(options.records) records in \(server.name)")
        return try FilledServer(server, records: options.records, in: options.directory)
    }
}

/// A stopped server with many records, which is started again and again.
private final class FilledServer {
    /// The figures of two restarts.
    struct Cost {
        /// Seconds from the start of the process to its first reply, after a clean stop.
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

    private let server: Server
    private let scratch: TemporaryDirectory
    private let stored: Int

    init(_ server: Server, records: Int, in directory: String) throws(BenchFailure) {
        self.server = server
        scratch = try TemporaryDirectory(in: directory)
        let process = try server.start(in: scratch.path)
        defer { process.end() }
        stored = try process.fill(with: server.workload, requests: records)
    }

    /// Starts the server after the clean stop before, kills it, starts it again and stops it.
    func restart() throws(BenchFailure) -> Cost {
        sync()
        let first = try start()
        first.process.kill()
        let second = try start()
        defer { second.process.end() }
        return Cost(
            start: first.seconds, startAfterKill: second.seconds, loading: first.loading,
            resident: first.resident, peak: first.peak)
    }

    private struct Start {
        var process: ServerProcess
        var seconds: Double
        var loading: Double?
        var resident: Double
        var peak: Double
    }

    private func start() throws(BenchFailure) -> Start {
        let began = monotonicNanoseconds()
        let process = try server.start(in: scratch.path)
        let found = try server.stored(by: process)
        let seconds = BenchKit.seconds(since: began)
        guard found == stored else {
            process.end()
            throw BenchFailure("\(server.name) has \(found) of \(stored) records")
        }
        return Start(
            process: process, seconds: seconds,
            loading: try server.loadingSeconds(in: scratch.path),
            resident: Double(try process.residentBytes()), peak: Double(try process.peakBytes()))
    }
}

extension ServerProcess {
    /// Sends requests as fast as they are answered.
    ///
    /// - Parameters:
    ///   - workload: The request.
    ///   - requests: The number of requests, at least; those in flight at the end are added.
    ///   - first: The number of the first request.
    /// - Returns: The number of acknowledged requests.
    /// - Throws: A request was refused.
    func fill(
        with workload: Workload, requests: Int, first: UInt64 = RequestTemplate.firstNumber
    ) throws(BenchFailure) -> Int {
        let driver = LoadDriver(
            socket: socket, workload: workload, shape: Shape(connections: 50, depth: 16), warmUp: 0,
            seconds: 3_600, requestLimit: requests, firstNumber: first)
        return try driver.run { () throws(BenchFailure) in 0 }.acknowledged
    }
}
