import Glibc

/// Whole purchases with the embedded store against jobs of beanstalkd that are put, reserved and deleted.
final class PurchaseRows: RowGroup {
    private let options: Options
    private var hasCountedSyncs = false

    init(_ options: Options) {
        self.options = options
    }

    var title: String { "whole purchases, embedded store" }

    private static let windows: [(count: Int, limit: Double)] = [
        (1, 1), (16, 6), (64, 10), (256, 15),
    ]

    func measure(into report: inout Report) throws(BenchFailure) {
        for (window, limit) in Self.windows {
            let own = try Self.measure(window: window, options)
            var peer: Measurement?
            if let beanstalkd = options.beanstalkd {
                peer = try measurePeer(beanstalkd, window: window)
            }
            report.record(
                Row(
                    .p3, "purchase, \(window) in flight", unit: "1/s", peer: "beanstalkd -f 0",
                    goal: .ratio(.atLeast, limit)),
                Reading(own, peer: peer))
            if window == 64, let cost = own.serverCPU {
                report.record(
                    Row(
                        .p3, "purchase, 64 in flight, CPU", unit: "us",
                        goal: .value(.atMost, 60), decimals: 1), Reading(cost))
            }
        }
        guard !hasCountedSyncs else { return }
        hasCountedSyncs = true
        let syncs = try Server.payqueued(options.payqueued).withFresh(in: options.directory) {
            process, directory throws(BenchFailure) in
            try Self.syncs(PurchaseLoad(socket: process.socket), of: process, in: directory)
        }
        report.record(
            Row(
                .p3, "purchase, 1 in flight, syncs", unit: "calls", goal: .rounded(.atMost, 2),
                decimals: 1), Reading(syncs))
    }

    /// Purchases of a new daemon with the embedded store.
    static func measure(window: Int, _ options: Options) throws(BenchFailure) -> Measurement {
        try Server.payqueued(options.payqueued).withFresh(in: options.directory) {
            process, _ throws(BenchFailure) in
            try PurchaseLoad(socket: process.socket)
                .measure(window: window, seconds: options.seconds, on: process)
        }
    }

    /// Syncs of a purchase, each purchase alone. The daemon also syncs the time about 50 ms after activity,
    /// which adds a fraction while `strace` slows purchases down. Goals therefore compare the rounded figure.
    static func syncs(
        _ load: PurchaseLoad, of process: ServerProcess, in directory: String
    ) throws(BenchFailure) -> Double {
        let purchases = 200
        let count = try SystemCallCount.during(process, in: directory) { () throws(BenchFailure) in
            try load.complete(purchases, window: 1)
        }
        return Double(count.syncs) / Double(purchases)
    }

    private func measurePeer(
        _ beanstalkd: String, window: Int
    ) throws(BenchFailure) -> Measurement {
        try TemporaryDirectory.withNew(in: options.directory) { directory throws(BenchFailure) in
            let process = try JobLoad.server(beanstalkd, in: directory)
            defer { process.end() }
            return try JobLoad(socket: process.socket)
                .measure(window: window, seconds: options.seconds, on: process)
        }
    }
}
