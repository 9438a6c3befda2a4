/// The number of a group of rows, by which the command line selects it.
public enum RowNumber: String, Sendable, Hashable, CaseIterable {
    /// Durable `add`.
    case p1 = "P1"
    /// Latency of a durable `add`.
    case p2 = "P2"
    /// Whole purchases with the embedded store.
    case p3 = "P3"
    /// Whole purchases with the store server.
    case p4 = "P4"
    /// Deliveries to many subscribers.
    case p5 = "P5"
    /// Restart, start and memory.
    case p6 = "P6"
    /// Rates with much open and closed.
    case p7 = "P7"
    /// A subscriber that is far behind.
    case p8 = "P8"
    /// Bytes, system calls and allocations.
    case p9 = "P9"
    /// Signed history, and verification of a log.
    case p10 = "P10"
}

/// A row of the report: its name, its unit and its goal.
public struct Row: Sendable, Hashable {
    /// The group.
    public var number: RowNumber
    /// The load, and the figure if it is not a rate.
    public var name: String
    /// The unit of both figures.
    public var unit: String
    /// The name of the peer; nil for a row without one.
    public var peer: String?
    /// The target; nil for a row that only informs.
    public var goal: Goal?
    /// The number of decimals of both figures.
    public var decimals: Int

    /// Creates a row.
    public init(
        _ number: RowNumber, _ name: String, unit: String, peer: String? = nil, goal: Goal? = nil,
        decimals: Int = 0
    ) {
        self.number = number
        self.name = name
        self.unit = unit
        self.peer = peer
        self.goal = goal
        self.decimals = decimals
    }
}

/// The figures of a row in one round.
public struct Reading: Sendable, Codable, Hashable {
    /// The daemon's figure.
    public var own: Double
    /// The peer's figure.
    public var peer: Double?
    /// Processor time of the daemon for each request or purchase, in microseconds.
    public var ownCPU: Double?
    /// The same of the peer.
    public var peerCPU: Double?
    /// Processor time of the load driver while it loaded the daemon, as a part of the measured time.
    public var driverShare: Double?
    /// Latencies of the daemon.
    public var ownLatency: Latency?
    /// Latencies of the peer.
    public var peerLatency: Latency?

    /// Percentiles in microseconds.
    public struct Latency: Sendable, Codable, Hashable {
        /// The median.
        public var p50: Double
        /// The latency that 99 of 100 did not exceed.
        public var p99: Double
    }

    /// Creates a reading without costs.
    public init(_ own: Double, peer: Double? = nil) {
        self.own = own
        self.peer = peer
    }

    /// Creates a reading of two rates.
    public init(_ own: Measurement, peer: Measurement?) {
        self.own = own.rate
        self.peer = peer?.rate
        ownCPU = own.serverCPU
        peerCPU = peer?.serverCPU
        driverShare = own.driverShare
        ownLatency = Latency(p50: own.p50, p99: own.p99)
        peerLatency = peer.map { Latency(p50: $0.p50, p99: $0.p99) }
    }

    /// The daemon's figure divided by the peer's; nil if the peer's is not positive.
    public var ratio: Double? {
        guard let peer, peer > 0 else { return nil }
        return own / peer
    }
}

/// A row with the readings of all rounds.
public struct RowResult: Sendable, Hashable {
    /// The row.
    public let row: Row
    /// One reading for each round.
    public internal(set) var readings: [Reading]

    /// The median of the daemon's figures.
    public var own: Double { median(readings.map(\.own)) }
    /// The median of the peer's figures.
    public var peer: Double? { middle(\.peer) }
    /// The median of the ratios within the rounds, which is steadier than the ratio of the medians.
    public var ratio: Double? { middle(\.ratio) }

    /// The lowest and the highest ratio of a round; those of the value if there is no ratio. A figure that
    /// is not a number has no part in it.
    public var spread: ClosedRange<Double> {
        let ratios = readings.compactMap(\.ratio)
        let figures = (ratios.isEmpty ? readings.map(\.own) : ratios).filter { !$0.isNaN }
        return (figures.min() ?? 0)...(figures.max() ?? 0)
    }

    /// The figure that the goal applies to.
    public var judged: Double? { row.goal?.subject == .value ? own : ratio }

    /// Whether the goal is met; nil without a goal, and without the peer that it needs.
    public var isMet: Bool? {
        guard let goal = row.goal, let judged else { return nil }
        return goal.isMet(by: judged)
    }

    /// The median of a figure over the rounds that have it.
    public func middle(_ figure: (Reading) -> Double?) -> Double? {
        let figures = readings.compactMap(figure)
        return figures.isEmpty ? nil : median(figures)
    }
}
