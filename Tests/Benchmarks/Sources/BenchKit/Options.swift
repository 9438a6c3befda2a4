/// The command line.
public struct Options: Sendable, Hashable {
    /// The kind of run.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The rows with their goals.
        case all
        /// The rows of restarts and memory alone.
        case restart
        /// The cost of closed transactions, as a list of figures.
        case history
    }

    /// The format of the results.
    public enum Output: String, Sendable, Hashable, CaseIterable {
        /// Aligned columns.
        case table
        /// One JSON document.
        case json
    }

    /// The kind of run.
    public var mode = Mode.all
    /// The rows to measure.
    public var rows = RowNumber.allCases
    /// The path of the daemon.
    public var payqueued = ""
    /// The path of the command-line client; nil leaves out the rows that need it.
    public var payqueuectl: String?
    /// The path of the store server; nil leaves out the rows that need it.
    public var store: String?
    /// The Redis server; nil leaves Redis out.
    public var redis: String? = "redis-server"
    /// The peer for whole purchases; nil leaves it out.
    public var beanstalkd: String? = "beanstalkd"
    /// The number of rounds.
    public var rounds = 3
    /// The measured time of each run in seconds.
    public var seconds = 2.0
    /// The number of open transactions, and of events that a subscriber is behind.
    public var records = 1_000_000
    /// The number of closed transactions; nil for the usual one of the mode.
    public var closed: Int?
    /// The number of orders in a signed history.
    public var orders = 10_000
    /// The size of the verified log in MiB.
    public var logMebibytes = 256
    /// The directory for the files of the servers.
    public var directory = "/var/tmp"
    /// The format on standard output.
    public var output = Output.table
    /// The file for the JSON document; nil for none.
    public var json: String?
    /// The directory for the drawings; nil for none.
    public var plots: String?
    /// Whether a missed goal makes the run fail.
    public var isStrict = false
    /// The preloaded library that counts allocations.
    public var counter: String?

    /// The text of `--help`.
    public static let usage = """
        bench [all|restart|history] --payqueued PATH [options]

          all       every row with its goal: the daemon and its peers in turn, round by round
          restart   the same as all --rows P6
          history   memory, starts, lookups and indexes of closed transactions, each with its limit;
                    of the options --records, --closed, --seconds, --quick and --directory apply, the
                    paths of programs, --json and --plots do nothing, and others are refused

          P1   durable add                        P6    restart, start and memory
          P2   latency of a durable add           P7    rates with much open and closed
          P3   whole purchases, embedded store    P8    a subscriber far behind
          P4   whole purchases, store server      P9    bytes, system calls, allocations
          P5   deliveries to 200 subscribers      P10   signed history, verification of a log

          --payqueued PATH      the daemon
          --payqueuectl PATH    the command-line client, for P10
          --payqueue-store PATH the store server, for P4
          --redis PATH          the Redis server (redis-server), 'none' leaves it out
          --beanstalkd PATH     the peer of P3 (beanstalkd), 'none' leaves it out
          --rows LIST           these rows only, such as P1,P3
          --rounds N            interleaved rounds (3)
          --seconds S           measured time of each run (2)
          --quick               1 round of 0.5 s with small numbers; options behind it override it
          --records N           open transactions of P6 and P7, events of P8 (1000000)
          --closed N            closed transactions of P7 (1000000) and of history (10000000)
          --orders N            orders of the signed history (10000)
          --log-mib N           size of the verified log in MiB (256)
          --directory DIR       file system to measure (/var/tmp)
          --output FORMAT       table or json (table)
          --json FILE           write the JSON document to a file as well
          --plots DIR           draw the figures as SVG into a directory
          --strict              exit with 1 if a goal is missed
          --counter PATH        library that counts allocations (next to this program)
        """

    /// Reads the command line.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Throws: An unknown mode or option, or an invalid value.
    public init(_ arguments: [String]) throws(BenchFailure) {
        var rest = arguments[...]
        var names: [String] = []
        while let name = rest.popFirst() {
            if name.hasPrefix("-") {
                names.append(name)
                if setFlag(name) { continue }
                guard let value = rest.popFirst() else {
                    throw BenchFailure("\(name) is unknown, or has no value")
                }
                try set(name, to: value)
            } else {
                mode = try Self.choice(name, "mode")
                if mode == .restart { rows = [.p6] }
            }
        }
        guard !payqueued.isEmpty else { throw BenchFailure("--payqueued PATH is missing") }
        if mode == .history, let name = names.first(where: { !Self.historyOptions.contains($0) }) {
            throw BenchFailure("\(name) does not apply to history")
        }
    }

    /// The options that the cost of closed transactions depends on, and those that the Makefile always gives.
    private static let historyOptions: Set = [
        "--payqueued", "--records", "--closed", "--seconds", "--quick", "--directory",
        "--payqueuectl", "--payqueue-store", "--json", "--plots",
    ]

    private mutating func setFlag(_ name: String) -> Bool {
        switch name {
        case "--strict": isStrict = true
        case "--quick":
            rounds = 1
            seconds = 0.5
            records = 100_000
            closed = 100_000
            orders = 1_000
            logMebibytes = 64
        default: return false
        }
        return true
    }

    private mutating func set(_ name: String, to value: String) throws(BenchFailure) {
        switch name {
        case "--payqueued": payqueued = value
        case "--payqueuectl": payqueuectl = value
        case "--payqueue-store": store = value
        case "--redis": redis = value == "none" ? nil : value
        case "--beanstalkd": beanstalkd = value == "none" ? nil : value
        case "--directory": directory = value
        case "--counter": counter = value
        case "--json": json = value
        case "--plots": plots = value
        case "--output": output = try Self.choice(value, name)
        case "--rounds": rounds = try Self.count(value, name)
        case "--records": records = try Self.count(value, name)
        case "--closed": closed = try Self.count(value, name)
        case "--orders": orders = try Self.count(value, name)
        case "--log-mib": logMebibytes = try Self.count(value, name)
        case "--seconds": seconds = try Self.positive(value, name)
        case "--rows":
            rows = []
            for part in value.split(separator: ",") {
                rows.append(try Self.choice(part.uppercased(), name))
            }
            guard !rows.isEmpty else { throw BenchFailure("\(name): '\(value)' names no row") }
        default: throw BenchFailure("unknown option \(name)")
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ name: String
    ) throws(BenchFailure) -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let valid = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw BenchFailure("\(name): '\(text)' is not one of \(valid)")
        }
        return choice
    }

    private static func count(_ text: String, _ name: String) throws(BenchFailure) -> Int {
        guard let number = Int(text), number > 0 else {
            throw BenchFailure("\(name): '\(text)' is not a positive whole number")
        }
        return number
    }

    private static func positive(_ text: String, _ name: String) throws(BenchFailure) -> Double {
        guard let number = Double(text), number > 0, number.isFinite else {
            throw BenchFailure("\(name): '\(text)' is not a positive number")
        }
        return number
    }
}
