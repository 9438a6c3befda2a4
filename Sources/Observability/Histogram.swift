internal import CoreMetrics
internal import Synchronization

/// Counts spans by how long they are, from 20 µs to 10 s, without a lock.
final class Histogram: TimerHandler {
    /// The upper bounds, as nanoseconds and as they are written, in seconds.
    static let bounds: [(nanoseconds: Int64, text: String)] = [
        (20_000, "2e-05"), (50_000, "5e-05"), (100_000, "0.0001"), (200_000, "0.0002"),
        (500_000, "0.0005"), (1_000_000, "0.001"), (2_000_000, "0.002"), (5_000_000, "0.005"),
        (10_000_000, "0.01"), (20_000_000, "0.02"), (50_000_000, "0.05"), (100_000_000, "0.1"),
        (500_000_000, "0.5"), (1_000_000_000, "1.0"), (10_000_000_000, "10.0"),
    ]

    private let counts: [Cell]
    private let sum = Atomic<Int64>(0)

    /// One counter, on the heap because it cannot be moved.
    private final class Cell: Sendable {
        let count = Atomic<Int64>(0)
    }

    init() {
        counts = (0...Self.bounds.count).map { _ in Cell() }
    }

    func recordNanoseconds(_ duration: Int64) {
        let place = Self.bounds.firstIndex { duration <= $0.nanoseconds } ?? Self.bounds.count
        counts[place].count.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(max(0, duration), ordering: .relaxed)
    }

    /// The lines of the histogram.
    func lines(_ name: String, _ dimensions: [String]) -> [String] {
        var total: Int64 = 0
        var lines: [String] = []
        for (index, bound) in (Self.bounds.map(\.text) + ["+Inf"]).enumerated() {
            total += counts[index].count.load(ordering: .relaxed)
            let labels = MetricsRegistry.labels(dimensions + ["le=\"\(bound)\""])
            lines.append("\(name)_bucket\(labels) \(total)")
        }
        let labels = MetricsRegistry.labels(dimensions)
        let (whole, rest) = sum.load(ordering: .relaxed).quotientAndRemainder(
            dividingBy: 1_000_000_000)
        let digits = String(rest)
        let fraction = String(repeating: "0", count: 9 - digits.utf8.count) + digits
        lines.append("\(name)_sum\(labels) \(whole).\(fraction)")
        lines.append("\(name)_count\(labels) \(total)")
        return lines
    }
}
