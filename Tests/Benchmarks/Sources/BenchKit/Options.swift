/// What the command line asks for.
public struct Options: Sendable, Hashable {
    /// What to measure.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Durable `add` against Redis and the bare loop.
        case add
        /// System calls for each request.
        case syscalls
        /// Heap allocations for each request.
        case allocations
        /// Whole purchases: add, purchased, finish, removed.
        case full
        /// The cost of closed transactions.
        case history
        /// The cost of open transactions and of a restart, against Redis.
        case restart
    }

    /// How results are printed.
    public enum Output: String, Sendable, Hashable, CaseIterable {
        /// Aligned columns.
        case table
        /// One JSON document.
        case json
    }

    /// What to measure.
    public var mode = Mode.add
    /// The daemon's binary; nil leaves the daemon out.
    public var payqueued: String?
    /// The Redis server's binary; nil leaves Redis out.
    public var redis: String? = "redis-server"
    /// The loads.
    public var shapes = Shape.promised
    /// How often everything is measured.
    public var rounds = 3
    /// The measured time of each run.
    public var seconds = 2.0
    /// The number of pairs, and of open transactions.
    public var records = 1_000_000
    /// The number of closed transactions.
    public var closed = 10_000_000
    /// Where servers keep their files.
    public var directory = "/var/tmp"
    /// How results are printed.
    public var output = Output.table
    /// The ratio to Redis below which the benchmark fails.
    public var required: Double?
    /// The preloaded library that counts allocations.
    public var counter: String?

    /// What `--help` prints.
    public static let usage = """
        bench [add|syscalls|allocations|full|history|restart] --payqueued PATH [options]

          add           durable add against Redis (appendfsync always) and a bare sync loop
          syscalls      system calls for each request, counted by strace
          allocations   heap allocations for each request, counted by a preloaded library
          full          whole purchases: add, purchased, finish, removed
          history       memory, starts, lookups and indexes of closed transactions, each with its limit
          restart       memory and restarts of open transactions, against Redis

          --payqueued PATH   the daemon; without it only the others are measured
          --redis PATH       the Redis server (redis-server), 'none' leaves it out
          --shapes LIST      connections x requests in flight on each (1x1,16x1,50x1,50x16)
          --rounds N         median of so many interleaved rounds (3)
          --seconds S        measured time of each run (2)
          --records N        pairs of history, open transactions of restart (1000000)
          --closed N         closed transactions of history (10000000)
          --directory DIR    file system to measure (/var/tmp)
          --output FORMAT    table or json (table)
          --require RATIO    exit 1 when the median ratio to Redis is below at any shape
          --counter PATH     the library that counts allocations (beside this program)
        """

    /// Reads the command line.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Throws: For an unknown mode or option, and for a value that makes no sense.
    public init(_ arguments: [String]) throws(BenchFailure) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard name.hasPrefix("-") else {
                mode = try Self.choice(name, "mode")
                continue
            }
            guard let value = rest.popFirst() else {
                throw BenchFailure("\(name) needs a value, or is no option")
            }
            try set(name, to: value)
        }
        guard payqueued != nil || mode == .add || mode == .syscalls else {
            throw BenchFailure("'\(mode.rawValue)' needs --payqueued PATH")
        }
    }

    private mutating func set(_ name: String, to value: String) throws(BenchFailure) {
        switch name {
        case "--payqueued": payqueued = value
        case "--redis": redis = value == "none" ? nil : value
        case "--directory": directory = value
        case "--counter": counter = value
        case "--output": output = try Self.choice(value, name)
        case "--rounds": rounds = try Self.count(value, name)
        case "--records": records = try Self.count(value, name)
        case "--closed": closed = try Self.count(value, name)
        case "--seconds": seconds = try Self.positive(value, name)
        case "--require": required = try Self.positive(value, name)
        case "--shapes":
            shapes = []
            for part in value.split(separator: ",") {
                guard let shape = Shape(part) else {
                    throw BenchFailure("--shapes: '\(part)' is not like 50x16")
                }
                shapes.append(shape)
            }
        default: throw BenchFailure("unknown option \(name)")
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ name: String
    ) throws(BenchFailure) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let valid = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw BenchFailure("\(name): '\(text)' is none of \(valid)")
        }
        return choice
    }

    private static func count(_ text: String, _ name: String) throws(BenchFailure) -> Int {
        guard let number = Int(text), number > 0 else {
            throw BenchFailure("\(name): '\(text)' is no positive whole number")
        }
        return number
    }

    private static func positive(_ text: String, _ name: String) throws(BenchFailure) -> Double {
        guard let number = Double(text), number > 0, number.isFinite else {
            throw BenchFailure("\(name): '\(text)' is no positive number")
        }
        return number
    }
}
