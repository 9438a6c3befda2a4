import Glibc

/// The rates of adds and purchases with much open and closed, against those with next to nothing.
///
/// The large state is made once: each round measures it first and adds to it, so that the numbers of its
/// name are the smallest ones. The small state is new in each round. The open transactions are of another
/// product than the purchases, so that the daemon does not send them to the subscriber of the purchases.
final class GrowthRows: RowGroup {
    private let options: Options
    private let progress: (String) -> Void
    private let closed: Int
    private var large: State?
    private var round: UInt64 = 0

    private static let openProduct = "season.pass"
    private static let smallOpen = 1_000
    /// The adds of a run. Each is open afterwards, so that a run without a limit would make a small state
    /// large.
    private static let addLimit = 300_000

    init(_ options: Options, _ progress: @escaping (String) -> Void) {
        self.options = options
        self.progress = progress
        closed = options.closed ?? 1_000_000
    }

    var title: String { "rates with much open and closed" }

    /// A stopped daemon's files.
    private struct State {
        var scratch: TemporaryDirectory
        var flags: [String]
    }

    /// The rates of one state.
    private struct Rates {
        var purchases: Measurement
        var adds: Measurement
    }

    func measure(into report: inout Report) throws(BenchFailure) {
        let large =
            if let large = self.large { large } else {
                try make(open: options.records, closed: closed)
            }
        self.large = large
        let own = try rates(large)
        let small = try make(open: Self.smallOpen, closed: 0)
        let peer = try rates(small)
        round += 1
        let name = "at least \(options.records) open, \(closed) closed"
        let peerName = "\(Self.smallOpen) open, 0 closed"
        report.record(
            Row(
                .p7, "add, 50x16, \(name)", unit: "1/s", peer: peerName,
                goal: .ratio(.atLeast, 0.9)), Reading(own.adds, peer: peer.adds))
        report.record(
            Row(
                .p7, "purchase, 64 in flight, \(name)", unit: "1/s", peer: peerName,
                goal: .ratio(.atLeast, 0.9)), Reading(own.purchases, peer: peer.purchases))
    }

    private func make(open: Int, closed: Int) throws(BenchFailure) -> State {
        let scratch = try TemporaryDirectory(in: options.directory)
        let state = State(
            scratch: scratch,
            flags: try Server.roomyFlags(in: scratch.path, keepingLog: false))
        if closed > 0 { progress("\(closed) closed and \(open) open transactions") }
        let process = try start(state)
        defer { process.end() }
        if closed > 0 {
            let pairs = try PairLoad(
                socket: process.socket, keyBytes: 36, connections: 16, window: 16,
                first: RequestTemplate.firstNumber)
            try pairs.run { completed in completed < closed }
        }
        _ = try process.fill(with: .add(of: Self.openProduct, series: "open"), requests: open)
        return state
    }

    private func start(_ state: State) throws(BenchFailure) -> ServerProcess {
        try Server.payqueued(options.payqueued).start(
            in: state.scratch.path, flags: state.flags)
    }

    private func rates(_ state: State) throws(BenchFailure) -> Rates {
        sync()
        let process = try start(state)
        defer { process.end() }
        let first = RequestTemplate.firstNumber + round * 100_000_000
        let purchases = try PurchaseLoad(socket: process.socket, first: first)
            .measure(window: 64, seconds: options.seconds, on: process)
        let driver = LoadDriver(
            socket: process.socket, workload: .add(of: Self.openProduct, series: "added"),
            shape: Shape(connections: 50, depth: 16), warmUp: 0, seconds: options.seconds,
            requestLimit: Self.addLimit, firstNumber: first)
        let adds = try driver.run { () throws(BenchFailure) in try CostSample(of: process) }
        return Rates(purchases: purchases, adds: adds.measurement)
    }
}
