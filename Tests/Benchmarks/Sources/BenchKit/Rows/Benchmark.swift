import Glibc

/// A group of rows that shares its servers and states.
protocol RowGroup: AnyObject {
    /// The group in messages of progress.
    var title: String { get }

    /// Measures each row once, the daemon and its peer in turn.
    func measure(into report: inout Report) throws(BenchFailure)
}

/// The selected rows, measured round by round, so that a disk that drifts drifts for all of them.
public struct Benchmark {
    private let options: Options

    /// Plans a run.
    public init(_ options: Options) {
        self.options = options
    }

    /// Measures everything.
    ///
    /// - Parameters:
    ///   - report: Receives the figures. It has those before a failure, too.
    ///   - progress: Receives the next step, for people who wait.
    /// - Throws: A server did not start, refused a request, or stored something else than it acknowledged.
    public func run(
        into report: inout Report, progress: @escaping (String) -> Void
    ) throws(BenchFailure) {
        let groups = self.groups(progress)
        defer { report.sort() }
        for round in 1...options.rounds {
            for group in groups {
                progress("round \(round) of \(options.rounds): \(group.title)")
                try group.measure(into: &report)
            }
        }
        if !missing.isEmpty { report.note("Left out: \(missing.joined(separator: ", ")).") }
    }

    private func groups(_ progress: @escaping (String) -> Void) -> [any RowGroup] {
        let rows = Set(options.rows)
        var groups: [any RowGroup] = []
        if !rows.isDisjoint(with: [.p1, .p2]) { groups.append(AddRows(options)) }
        if rows.contains(.p3) { groups.append(PurchaseRows(options)) }
        if rows.contains(.p4), let store = options.store {
            groups.append(StoreRows(options, store: store))
        }
        if rows.contains(.p5) { groups.append(DeliveryRows(options)) }
        if rows.contains(.p6) { groups.append(RestartRows(options, progress)) }
        if rows.contains(.p7) { groups.append(GrowthRows(options, progress)) }
        if rows.contains(.p8) { groups.append(BacklogRows(options)) }
        if rows.contains(.p9) { groups.append(CostRows(options)) }
        if rows.contains(.p10) { groups.append(HistoryRows(options)) }
        return groups
    }

    private var missing: [String] {
        var missing: [String] = []
        if options.redis == nil { missing.append("Redis") }
        if options.beanstalkd == nil { missing.append("beanstalkd") }
        if options.rows.contains(.p4) && options.store == nil {
            missing.append("payqueue-store (P4)")
        }
        if options.rows.contains(.p10) && options.payqueuectl == nil {
            missing.append("payqueuectl (verification of P10)")
        }
        return missing
    }
}

extension Server {
    /// Starts the server on a new directory, after the disk has finished earlier work.
    ///
    /// - Parameters:
    ///   - parent: The directory for the new one.
    ///   - environment: Variables on top of the benchmark's own.
    ///   - keepingLog: Whether the daemon keeps the whole event log; see ``roomyFlags(in:keepingLog:)``.
    ///   - body: Receives the running server and the directory; both are gone afterwards.
    /// - Returns: The result of the body.
    /// - Throws: The server did not start, or the body failed.
    func withFresh<Result>(
        in parent: String, environment: [String: String] = [:], keepingLog: Bool = false,
        _ body: (ServerProcess, String) throws(BenchFailure) -> Result
    ) throws(BenchFailure) -> Result {
        try TemporaryDirectory.withNew(in: parent) { directory throws(BenchFailure) in
            let flags = keepingLog ? try Self.roomyFlags(in: directory, keepingLog: true) : []
            let process = try start(in: directory, environment: environment, flags: flags)
            defer { process.end() }
            return try body(process, directory)
        }
    }
}
