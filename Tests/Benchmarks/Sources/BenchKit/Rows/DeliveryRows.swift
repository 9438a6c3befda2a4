/// Changes that 200 subscribers receive, against messages of Redis.
final class DeliveryRows: RowGroup {
    private let options: Options
    /// Bytes of a delivered event, by the first measurement.
    private var eventBytes = 0

    init(_ options: Options) {
        self.options = options
    }

    var title: String { "deliveries to \(FanOutLoad.subscribers) subscribers" }

    private struct Comparison {
        var window: Int
        var isDurable: Bool
        var limit: Double
    }

    func measure(into report: inout Report) throws(BenchFailure) {
        let comparisons = [
            Comparison(window: 1, isDurable: true, limit: 1),
            Comparison(window: 16, isDurable: false, limit: 1),
            Comparison(window: 64, isDurable: false, limit: 2),
        ]
        for comparison in comparisons {
            let own = try measureOwn(window: comparison.window)
            var peer: Measurement?
            if let redis = options.redis { peer = try measure(redis, comparison) }
            report.record(
                Row(
                    .p5, "deliveries, \(comparison.window) in flight", unit: "1/s",
                    peer: comparison.isDurable ? "Redis RPUSH, always, PUBLISH" : "Redis PUBLISH",
                    goal: .ratio(.atLeast, comparison.limit)),
                Reading(own, peer: peer))
        }
        report.note(
            "P5: events and messages of Redis have the same length. CPU is that of a change.")
    }

    private func measureOwn(window: Int) throws(BenchFailure) -> Measurement {
        try Server.payqueued(options.payqueued).withFresh(in: options.directory) {
            process, _ throws(BenchFailure) in
            let load = try FanOutLoad(socket: process.socket, kind: .daemon)
            let result = try load.measure(window: window, seconds: options.seconds, on: process)
            eventBytes = load.deliveredBytes
            return result
        }
    }

    private func measure(
        _ redis: String, _ comparison: Comparison
    ) throws(BenchFailure) -> Measurement {
        try Server.redis(redis).withFresh(in: options.directory) {
            process, _ throws(BenchFailure) in
            let bytes = max(100, eventBytes - FanOutLoad.Kind.redisFrameBytes)
            let load = try FanOutLoad(
                socket: process.socket,
                kind: .redis(
                    bytes: bytes, subscribers: FanOutLoad.subscribers,
                    isDurable: comparison.isDurable))
            return try load.measure(
                window: comparison.window, seconds: options.seconds, on: process)
        }
    }
}
