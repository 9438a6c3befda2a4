internal import CoreMetrics
internal import OpenMetrics
internal import Synchronization

/// A lock-free histogram of durations, with buckets from 20 µs to 10 s.
final class Histogram: TimerHandler, Measure {
    static let kind = OpenMetricsText.Kind.histogram
    static let suffix = "_seconds"
    /// The upper bounds of the buckets, in nanoseconds and as written, in seconds.
    static let bounds: [(nanoseconds: Int64, text: String)] = [
        (20_000, "2e-05"), (50_000, "5e-05"), (100_000, "0.0001"), (200_000, "0.0002"),
        (500_000, "0.0005"), (1_000_000, "0.001"), (2_000_000, "0.002"), (5_000_000, "0.005"),
        (10_000_000, "0.01"), (20_000_000, "0.02"), (50_000_000, "0.05"), (100_000_000, "0.1"),
        (500_000_000, "0.5"), (1_000_000_000, "1.0"), (10_000_000_000, "10.0"),
    ]

    private let counts: [Cell]
    private let sum = Atomic<Int64>(0)
    /// The last traced value of each bucket, with its trace ID.
    private let exemplars = Mutex<[Int: (nanoseconds: Int64, traceID: String)]>([:])

    /// A counter on the heap, because atomics cannot be moved.
    private final class Cell: Sendable {
        let count = Atomic<Int64>(0)
    }

    init() {
        counts = (0...Self.bounds.count).map { _ in Cell() }
    }

    func recordNanoseconds(_ duration: Int64) {
        counts[Self.place(of: duration)].count.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(max(0, duration), ordering: .relaxed)
    }

    /// Records an exemplar: the trace of a recorded value, shown with its bucket.
    func noteExemplar(_ nanoseconds: Int64, traceID: String) {
        exemplars.withLock { $0[Self.place(of: nanoseconds)] = (nanoseconds, traceID) }
    }

    private static func place(of nanoseconds: Int64) -> Int {
        bounds.firstIndex { nanoseconds <= $0.nanoseconds } ?? bounds.count
    }

    func write(_ name: String, _ labels: [String], to text: inout OpenMetricsText) {
        var total: Int64 = 0
        let exemplars = exemplars.withLock { $0 }
        for (index, bound) in (Self.bounds.map(\.text) + ["+Inf"]).enumerated() {
            total += counts[index].count.load(ordering: .relaxed)
            let exemplar = exemplars[index].map {
                " # {trace_id=\"\($0.traceID)\"} "
                    + OpenMetricsText.seconds(nanoseconds: $0.nanoseconds)
            }
            text.sample(
                name + "_bucket", "\(total)\(exemplar ?? "")",
                labels: labels + [OpenMetricsText.label("le", bound)])
        }
        text.sample(
            name + "_sum", OpenMetricsText.seconds(nanoseconds: sum.load(ordering: .relaxed)),
            labels: labels)
        text.sample(name + "_count", "\(total)", labels: labels)
    }
}
