import Glibc

/// Durable writes side by side: the daemon, Redis and the bare loop take turns, round by round, so
/// that a disk that drifts drifts for all of them.
public struct Comparison: Sendable {
    /// The servers, in the order in which they take turns.
    public var servers: [Server]
    /// The loads.
    public var shapes: [Shape]
    /// How often everything is measured.
    public var rounds: Int
    /// The measured time of each run in seconds.
    public var seconds: Double
    /// Where the servers keep their files.
    public var directory: String

    /// Plans a comparison.
    public init(
        servers: [Server], shapes: [Shape], rounds: Int, seconds: Double, directory: String
    ) {
        self.servers = servers
        self.shapes = shapes
        self.rounds = rounds
        self.seconds = seconds
        self.directory = directory
    }

    /// Runs everything.
    ///
    /// - Parameter progress: Told what comes next, for people who wait.
    /// - Returns: What was measured.
    /// - Throws: If a server does not start, refuses a request or stored something else than it
    ///   acknowledged.
    public func run(progress: (String) -> Void) throws(BenchFailure) -> ComparisonResult {
        var results = shapes.map { ShapeResult(shape: $0) }
        for round in 1...rounds {
            for (index, shape) in shapes.enumerated() {
                progress("round \(round) of \(rounds), \(shape)")
                for server in servers {
                    let measurement = try measure(server, under: shape)
                    results[index].add(measurement, of: server.name)
                }
                settle()
                let scratch = try TemporaryDirectory(in: directory)
                let bare = try BareLoop.run(in: scratch.path, seconds: seconds / 2)
                results[index].add(bare, of: ShapeResult.bareLoop)
            }
        }
        return ComparisonResult(shapes: results)
    }

    /// Lets the disk finish what the run before left behind, its deleted files above all.
    private func settle() {
        sync()
    }

    private func measure(_ server: Server, under shape: Shape) throws(BenchFailure) -> Measurement {
        settle()
        let scratch = try TemporaryDirectory(in: directory)
        let process = try server.start(in: scratch.path)
        defer { process.end() }
        let driver = LoadDriver(
            socket: process.socket, workload: server.workload, shape: shape,
            warmUp: min(0.5, seconds / 4), seconds: seconds)
        let load = try driver.run { () throws(BenchFailure) in try process.processorSeconds() }
        let stored = try server.stored(by: process)
        guard stored == load.acknowledged else {
            throw BenchFailure(
                "\(server.name) acknowledged \(load.acknowledged) requests but stored \(stored)")
        }
        var result = Measurement(latencies: load.latencies, seconds: load.seconds)
        let answered = Double(max(1, load.latencies.count))
        result.serverCPU = (load.after - load.before) * 1e6 / answered
        return result
    }
}

/// All rounds of one shape.
public struct ShapeResult: Sendable {
    /// The name under which the bare loop stands beside the servers.
    public static let bareLoop = "bare loop"

    /// The load.
    public let shape: Shape
    /// What was measured, in the order of its first measurement.
    public private(set) var subjects: [Subject] = []

    /// One server, or the bare loop.
    public struct Subject: Sendable {
        /// What it is called.
        public let name: String
        /// One measurement for each round.
        public var rounds: [Measurement]
    }

    /// A shape not measured yet.
    public init(shape: Shape) {
        self.shape = shape
    }

    /// Adds the measurement of the next round.
    public mutating func add(_ measurement: Measurement, of name: String) {
        if let index = subjects.firstIndex(where: { $0.name == name }) {
            subjects[index].rounds.append(measurement)
        } else {
            subjects.append(Subject(name: name, rounds: [measurement]))
        }
    }

    /// The medians over the rounds of one subject.
    public func summary(of name: String) -> Measurement? {
        guard let rounds = subjects.first(where: { $0.name == name })?.rounds, !rounds.isEmpty
        else { return nil }
        let processor = rounds.compactMap(\.serverCPU)
        return Measurement(
            requests: rounds.reduce(0) { $0 + $1.requests },
            rate: median(rounds.map(\.rate)), p50: median(rounds.map(\.p50)),
            p99: median(rounds.map(\.p99)),
            serverCPU: processor.isEmpty ? nil : median(processor))
    }

    /// The median of the ratios within each round, which is steadier than the ratio of the medians.
    ///
    /// - Returns: Nil if one of the two was not measured.
    public func ratio(of name: String, to reference: String) -> Double? {
        guard let own = subjects.first(where: { $0.name == name })?.rounds,
            let other = subjects.first(where: { $0.name == reference })?.rounds,
            !own.isEmpty, own.count == other.count
        else { return nil }
        return median(zip(own, other).map { $0.rate / $1.rate })
    }
}

/// All shapes of a comparison.
public struct ComparisonResult: Sendable {
    /// One entry for each shape, in the order asked for.
    public var shapes: [ShapeResult]

    /// Collects the shapes.
    public init(shapes: [ShapeResult]) {
        self.shapes = shapes
    }

    /// Where the daemon stays below a ratio to Redis, as sentences; empty if it does nowhere.
    public func shortfalls(below required: Double) -> [String] {
        shapes.compactMap { shape in
            guard let ratio = shape.ratio(of: "payqueued", to: "redis") else {
                return "\(shape.shape): not compared"
            }
            guard ratio < required else { return nil }
            return "\(shape.shape): \(fixed(ratio, 2)) of Redis, required is \(fixed(required, 2))"
        }
    }
}
