/// Durable `add` with a key against `RPUSH` of Redis with `appendfsync always`, and its latency against
/// two bare loops. The goals are those against the loop that appends and syncs, which also commits the size
/// of its file with each sync; the loop that overwrites does not, and neither does the daemon.
final class AddRows: RowGroup {
    private let options: Options
    private let latencyRows: Bool
    private let rateRows: Bool

    init(_ options: Options) {
        self.options = options
        latencyRows = options.rows.contains(.p2)
        rateRows = options.rows.contains(.p1)
    }

    var title: String { "durable add" }

    private static let shapes: [(shape: Shape, limit: Double)] = [
        (Shape(connections: 1, depth: 1), 1.3), (Shape(connections: 16, depth: 1), 1.3),
        (Shape(connections: 50, depth: 1), 1.3), (Shape(connections: 50, depth: 16), 2.5),
    ]

    func measure(into report: inout Report) throws(BenchFailure) {
        for (shape, limit) in rateRows ? Self.shapes : Array(Self.shapes.prefix(1)) {
            let own = try Self.measure(.payqueued(options.payqueued), under: shape, options)
            if rateRows {
                var peer: Measurement?
                if let redis = options.redis {
                    peer = try Self.measure(.redis(redis), under: shape, options)
                }
                report.record(
                    Row(
                        .p1, "add, \(shape)", unit: "1/s", peer: "Redis RPUSH, always",
                        goal: .ratio(.atLeast, limit)),
                    Reading(own, peer: peer))
            }
            guard latencyRows, shape == Self.shapes[0].shape else { continue }
            try compare(own, with: .append, limits: (1, 2), into: &report)
            try compare(own, with: .overwrite, limits: nil, into: &report)
        }
    }

    /// Records the latencies of one `add` at a time and of a bare loop.
    private func compare(
        _ own: Measurement, with kind: BareLoop.Kind, limits: (p50: Double, p99: Double)?,
        into report: inout Report
    ) throws(BenchFailure) {
        let bare = try TemporaryDirectory.withNew(in: options.directory) {
            directory throws(BenchFailure) in
            try BareLoop.run(kind, in: directory, seconds: options.seconds / 2)
        }
        let peer =
            switch kind {
            case .append: "append and fdatasync"
            case .overwrite: "overwrite and fdatasync"
            }
        func record(_ name: String, _ own: Double, _ bare: Double, _ limit: Double?) {
            let row = Row(
                .p2, "add, 1x1, \(name)", unit: "us", peer: peer,
                goal: limit.map { .ratio(.atMost, $0) })
            report.record(row, Reading(own, peer: bare))
        }
        record("p50", own.p50, bare.p50, limits?.p50)
        record("p99", own.p99, bare.p99, limits?.p99)
    }

    /// Loads a new server, and compares the number of stored requests with the acknowledged ones.
    private static func measure(
        _ server: Server, under shape: Shape, _ options: Options
    ) throws(BenchFailure) -> Measurement {
        try server.withFresh(in: options.directory) { process, _ throws(BenchFailure) in
            let driver = LoadDriver(
                socket: process.socket, workload: server.workload, shape: shape,
                warmUp: min(0.5, options.seconds / 4), seconds: options.seconds)
            let load = try driver.run { () throws(BenchFailure) in try CostSample(of: process) }
            let stored = try server.stored(by: process)
            guard stored == load.acknowledged else {
                throw BenchFailure(
                    "\(server.name) acknowledged \(load.acknowledged) requests and stored \(stored)"
                )
            }
            return load.measurement
        }
    }
}
