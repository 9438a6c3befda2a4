import Glibc

/// The cost of closed transactions: pairs of `add` and `finish`, starts, lookups, and an index that is
/// built again.
public struct HistoryCost {
    /// The path of the daemon.
    public var payqueued: String
    /// The number of pairs whose memory is measured.
    public var pairs: Int
    /// The number of closed transactions for starts, lookups and the index.
    public var closed: Int
    /// The time of each of the two measurements of a quiet daemon in seconds.
    public var seconds: Double
    /// The file system for the files.
    public var directory: String

    private static let mebibyte = Double(1 << 20)
    private static let lookups = 5_000
    private static let loadConnections = 8
    private static let restSeconds: UInt32 = 5

    /// Plans a measurement.
    public init(
        payqueued: String, pairs: Int, closed: Int, seconds: Double, directory: String
    ) {
        self.payqueued = payqueued
        self.pairs = pairs
        self.closed = closed
        self.seconds = seconds
        self.directory = directory
    }

    /// Measures everything.
    ///
    /// - Parameter progress: Receives the next step, for people who wait.
    /// - Returns: The figures.
    /// - Throws: The daemon refused a request, or a reply was wrong.
    public func run(progress: (String) -> Void) throws(BenchFailure) -> [Figure] {
        let pairs = try TemporaryDirectory.withNew(in: directory) { path throws(BenchFailure) in
            try measurePairs(in: path, progress)
        }
        let history = try TemporaryDirectory.withNew(in: directory) { path throws(BenchFailure) in
            try measureHistory(in: path, progress)
        }
        return pairs + history
    }

    /// Pairs with keys of 128 bytes on a new store, and a start on what they leave.
    private func measurePairs(
        in path: String, _ progress: (String) -> Void
    ) throws(BenchFailure) -> [Figure] {
        let server = Server.payqueued(payqueued)
        let process = try server.start(in: path)
        defer { process.end() }
        progress("quiet adds")
        let earlier = try addQuietly(process, from: RequestTemplate.firstNumber)
        progress("\(pairs) pairs with keys of 128 bytes")
        let load = try PairLoad(
            socket: process.socket, keyBytes: 128, connections: Self.loadConnections, window: 1,
            first: earlier.next)
        // The first pairs fill buffers that stay.
        try load.run { completed in completed < pairs / 100 }
        let before = try process.residentBytes()
        let processor = try process.processorSeconds()
        let began = monotonicNanoseconds()
        var largest = before
        try load.run { completed throws(BenchFailure) in
            if completed % 1_000 < 10 { largest = max(largest, try process.residentBytes()) }
            return completed < pairs
        }
        let elapsed = BenchKit.seconds(since: began)
        let after = try process.residentBytes()
        let used = try process.processorSeconds() - processor
        let count = Double(load.completed)
        // Quiet adds are measured again, because the speed of the machine may have changed. In the time before,
        // the daemon finishes the work of the pairs.
        sleep(Self.restSeconds)
        let later = try addQuietly(process, from: load.next)
        var quiet = earlier.latencies
        quiet.add(later.latencies)
        var figures = [
            Figure("pairs a second", count / elapsed, decimals: 0),
            Figure("processor time of a pair, us", used * 1e6 / count, decimals: 1),
            Figure("memory before, MiB", Double(before) / Self.mebibyte, decimals: 1),
            Figure("memory after, MiB", Double(after) / Self.mebibyte, decimals: 1),
            Figure("memory at most, MiB", Double(largest) / Self.mebibyte, limit: 64, decimals: 1),
            Figure("memory of a pair, bytes", Double(after - before) / count, limit: 16),
        ]
        figures += adds("quiet", quiet, limit: nil)
        figures += adds("meanwhile", load.latencies, limit: 3 * quiet.microseconds(0.99))
        process.end()
        let started = try start(server, in: path)
        defer { started.process.end() }
        figures.append(Figure("start after the pairs, s", started.seconds, limit: 1))
        figures.append(
            Figure(
                "memory after the start, MiB",
                Double(try started.process.residentBytes()) / Self.mebibyte, limit: 64, decimals: 1)
        )
        return figures
    }

    /// Many closed transactions with keys of 36 bytes.
    private func measureHistory(
        in path: String, _ progress: (String) -> Void
    ) throws(BenchFailure) -> [Figure] {
        let server = Server.payqueued(payqueued)
        var process = try server.start(in: path)
        defer { process.end() }
        progress("\(closed) pairs with keys of 36 bytes")
        let load = try PairLoad(
            socket: process.socket, keyBytes: 36, connections: 16, window: 16,
            first: RequestTemplate.firstNumber,
            // A pass looks each sample up once, by its key or by its identifier.
            sampleEvery: UInt64(max(1, closed / (2 * Self.lookups))))
        try load.run { completed in completed < closed }
        let state = path + "/state"
        // The last checkpoint removes files that no snapshot names any more.
        process.end()
        var started = try start(server, in: path)
        process = started.process
        let bytes = try filesOf(state).filter { $0.name.hasPrefix("archive-") }
            .reduce(0) { $0 + $1.bytes }
        var figures = [
            Figure("closed transactions", Double(load.completed), decimals: 0),
            Figure(
                "disk of each, bytes", Double(bytes) / Double(load.completed), limit: 1_100,
                decimals: 0),
            Figure("start, s", started.seconds, limit: 2),
            Figure("memory, MiB", Double(try process.residentBytes()) / Self.mebibyte, decimals: 1),
        ]
        progress("lookups")
        try bringIntoCache(state)
        figures += try lookUp(load.samples, process, "page cache warm", limit: 1_000)
        try dropFromCache(state)
        figures += try lookUp(load.samples, process, "page cache cold", limit: nil)
        process.end()
        try dropFromCache(state)
        started = try start(server, in: path)
        process = started.process
        figures.append(Figure("start, page cache cold, s", started.seconds, limit: 2))
        process.end()
        progress("the index is built again")
        // The daemon may have merged indexes meanwhile.
        for file in try filesOf(state) where file.name.hasSuffix(".index") {
            guard unlink(state + "/" + file.name) == 0 else { throw failure("remove an index") }
        }
        try dropFromCache(state)
        started = try start(server, in: path)
        process = started.process
        figures.append(Figure("start without indexes, s", started.seconds, limit: 2))
        figures += try rebuild(load.samples, process)
        try bringIntoCache(state)
        figures += try lookUp(load.samples, process, "after that", limit: 1_000)
        return figures
    }

    /// Serves while the index is built, and checks what is refused meanwhile and what is not.
    private func rebuild(
        _ samples: [KnownPair], _ process: ServerProcess
    ) throws(BenchFailure) -> [Figure] {
        let caller = try Caller(socket: process.socket)
        let began = monotonicNanoseconds()
        var served = Histogram()
        var refused = 0
        guard let known = samples.first else { throw BenchFailure("no pair is known") }
        while true {
            let keyed = try caller.call(Self.add(known.number))
            if keyed.reply.contains(known.id) { break }
            guard keyed.reply.contains("-32015") else {
                throw BenchFailure("neither found nor refused: \(keyed.reply)")
            }
            refused += 1
            let plain = try caller.call("add", #"{"product":"coins.100"}"#)
            guard let id = plain.reply.withBytes({ $0.text(after: #""transaction":""#) }) else {
                throw BenchFailure("an add without a key was refused: \(plain.reply)")
            }
            let finish = try caller.call("finish", #"{"transaction":"\#(id)"}"#)
            guard finish.reply.contains(#""disposition":"removed""#) else {
                throw BenchFailure("a finish was refused: \(finish.reply)")
            }
            served.record(plain.nanoseconds)
            served.record(finish.nanoseconds)
            usleep(2_000)
        }
        return [
            Figure("index built again, s", BenchKit.seconds(since: began), limit: 60),
            Figure("calls refused meanwhile", Double(refused), decimals: 0),
            Figure("calls without closed facts meanwhile", Double(served.count), decimals: 0),
            Figure("these calls, p99, us", served.microseconds(0.99), decimals: 0),
            Figure(
                "memory meanwhile, at most, MiB", Double(try process.peakBytes()) / Self.mebibyte,
                decimals: 1),
        ]
    }

    /// Repeats an `add` by its key, and asks for a finished transaction by its identifier. A call that looks
    /// nothing up shows what the machine adds to both.
    private func lookUp(
        _ samples: [KnownPair], _ process: ServerProcess, _ when: String, limit: Double?
    ) throws(BenchFailure) -> [Figure] {
        let caller = try Caller(socket: process.socket)
        var byKey = Histogram()
        var byID = Histogram()
        var bare = Histogram()
        let step = max(1, samples.count / Self.lookups)
        for (index, pair) in samples.enumerated() where index % step == 0 {
            let add = try caller.call(Self.add(pair.number))
            guard add.reply.contains(#""duplicate":true"#), add.reply.contains(pair.id) else {
                throw BenchFailure("key \(pair.number) was not found: \(add.reply)")
            }
            byKey.record(add.nanoseconds)
            bare.record(try caller.call("nothing").nanoseconds)
        }
        // Another order, so that the lines are not those that were read a moment ago.
        for (index, pair) in samples.enumerated().reversed() where index % step == step / 2 {
            let finish = try caller.call("finish", #"{"transaction":"\#(pair.id)"}"#)
            guard finish.reply.contains(#""disposition":"alreadyFinished""#) else {
                throw BenchFailure("transaction \(pair.id) was not found: \(finish.reply)")
            }
            byID.record(finish.nanoseconds)
        }
        return [
            Figure("call without lookup, \(when), p99, us", bare.microseconds(0.99), decimals: 0),
            Figure("lookup by key, \(when), p50, us", byKey.microseconds(0.5), decimals: 0),
            Figure(
                "lookup by key, \(when), p99, us", byKey.microseconds(0.99), limit: limit,
                decimals: 0),
            Figure("lookup by id, \(when), p50, us", byID.microseconds(0.5), decimals: 0),
            Figure(
                "lookup by id, \(when), p99, us", byID.microseconds(0.99), limit: limit, decimals: 0
            ),
        ]
    }

    private static func add(_ number: UInt64) -> String {
        let template = PairLoad.add(keyBytes: 36)
        var bytes = template.bytes
        bytes.withUnsafeMutableBytes { template.stamp(number, into: $0) }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    /// Pairs of one connection alone.
    private func addQuietly(
        _ process: ServerProcess, from first: UInt64
    ) throws(BenchFailure) -> PairLoad {
        let load = try PairLoad(
            socket: process.socket, keyBytes: 128, connections: 0, window: 1, first: first)
        let end = monotonicNanoseconds() + UInt64(seconds * 1e9)
        try load.run { _ in monotonicNanoseconds() < end }
        return load
    }

    private func adds(_ name: String, _ times: Histogram, limit: Double?) -> [Figure] {
        [
            Figure("add \(name), p50, us", times.microseconds(0.5), decimals: 0),
            Figure("add \(name), p99, us", times.microseconds(0.99), limit: limit, decimals: 0),
        ]
    }

    /// Starts a server and waits for its first reply.
    private func start(
        _ server: Server, in directory: String
    ) throws(BenchFailure) -> (process: ServerProcess, seconds: Double) {
        let began = monotonicNanoseconds()
        let process = try server.start(in: directory)
        _ = try process.ask(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#)
        return (process, BenchKit.seconds(since: began))
    }
}
