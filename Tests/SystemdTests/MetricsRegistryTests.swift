import CoreMetrics
import OpenMetrics
import Testing

@testable import Observability

@Suite struct MetricsRegistryTests {
    private static func lines(_ histogram: Histogram, _ labels: [String] = []) -> [Substring] {
        var text = OpenMetricsText(prefix: "")
        histogram.write("h", labels, to: &text)
        return text.text.split(separator: "\n")
    }

    @Test func `timers, counters and gauges come out sorted, each family once`() {
        let registry = MetricsRegistry()
        registry.makeCounter(label: "calls", dimensions: [("of", "b")]).increment(by: 2)
        registry.makeCounter(label: "calls", dimensions: [("of", "a\"\\\n")]).increment(by: 1)
        registry.makeCounter(label: "calls", dimensions: [("of", "b")]).increment(by: 3)
        registry.makeMeter(label: "open", dimensions: []).set(Int64(7))
        var text = OpenMetricsText(prefix: "x_")
        registry.write(to: &text)
        #expect(
            text.ended == #"""
                # TYPE x_calls counter
                x_calls_total{of="a\"\\\n"} 1
                x_calls_total{of="b"} 5
                # TYPE x_open gauge
                x_open 7.0
                # EOF

                """#)
    }

    @Test(
        arguments: [
            (-1, 0), (0, 0), (20_000, 0), (20_001, 1), (1_000_000, 5), (1_000_001, 6),
            (10_000_000_000, 14), (10_000_000_001, 15), (Int64.max, 15),
        ] as [(Int64, Int)])
    func `a span is counted in its bucket and in all above`(nanoseconds: Int64, place: Int) {
        let histogram = Histogram()
        histogram.recordNanoseconds(nanoseconds)
        let buckets = Self.lines(histogram).filter { $0.hasPrefix("h_bucket") }
        #expect(buckets.count == Histogram.bounds.count + 1)
        for (index, line) in buckets.enumerated() {
            #expect(line.hasSuffix(index < place ? " 0" : " 1"), "\(line)")
        }
    }

    @Test func `sum and count of a histogram are those of the spans`() {
        let histogram = Histogram()
        histogram.recordNanoseconds(1_500_000_000)
        histogram.recordNanoseconds(7)
        let lines = Self.lines(histogram, ["a=\"b\""])
        #expect(lines.contains("h_sum{a=\"b\"} 1.500000007"))
        #expect(lines.last == "h_count{a=\"b\"} 2")
        #expect(lines.contains("h_bucket{a=\"b\",le=\"+Inf\"} 2"))
    }
}
