public import CoreMetrics
public import OpenMetrics
internal import Synchronization

/// A registry of all metrics of swift-metrics, for output as OpenMetrics text.
///
/// Timers become histograms in seconds. Metrics are never removed, so labels and dimensions must
/// come from a fixed set.
public final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let name: String
        let labels: [String]
        let kind: OpenMetricsText.Kind
    }

    private let measures = Mutex<[Key: any Measure]>([:])

    /// Creates an empty registry.
    public init() {}

    /// Appends all metrics to `text`, sorted by name.
    public func write(to text: inout OpenMetricsText) {
        let sorted = measures.withLock { $0 }.sorted {
            ($0.key.name, $0.key.labels.joined()) < ($1.key.name, $1.key.labels.joined())
        }
        var last: String?
        for (key, measure) in sorted {
            if key.name != last { text.family(key.name, key.kind) }
            last = key.name
            measure.write(key.name, key.labels, to: &text)
        }
    }

    /// Records an exemplar: the trace of a value that a timer without dimensions recorded. Each
    /// bucket shows its last exemplar. Does nothing if the timer does not exist.
    ///
    /// - Parameters:
    ///   - label: The label of the timer.
    ///   - nanoseconds: The recorded value, in nanoseconds.
    ///   - traceID: The trace ID, as 32 hexadecimal digits.
    public func noteExemplar(label: String, nanoseconds: Int64, traceID: String) {
        let key = Key(name: label + Histogram.suffix, labels: [], kind: Histogram.kind)
        let timer = measures.withLock { $0[key] } as? Histogram
        timer?.noteExemplar(nanoseconds, traceID: traceID)
    }

    /// The metric with a label and dimensions; created if it does not exist.
    private func measure<Kind: Measure>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Kind
    ) -> Kind {
        let key = Key(
            name: label + Kind.suffix, labels: dimensions.map { OpenMetricsText.label($0, $1) },
            kind: Kind.kind)
        return measures.withLock { measures in
            if let known = measures[key] as? Kind { return known }
            let made = make()
            measures[key] = made
            return made
        }
    }
}

extension MetricsRegistry {
    /// The counter with a label and dimensions.
    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        measure(label, dimensions) { Tally() }
    }

    /// The gauge with a label and dimensions; it shows the last value.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        measure(label, dimensions) { Gauge() }
    }

    /// The gauge with a label and dimensions. Only timers become histograms.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        measure(label, dimensions) { Gauge() }
    }

    /// The histogram with a label and dimensions.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        measure(label, dimensions) { Histogram() }
    }

    /// Does nothing, because a counter that disappears would look like a reset.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing; the gauge stays.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing; the gauge stays.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing; the histogram stays.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// A metric of the registry, with a label and dimensions.
protocol Measure: AnyObject, Sendable {
    /// The OpenMetrics type of the family.
    static var kind: OpenMetricsText.Kind { get }
    /// The suffix of the family's name, after the label.
    static var suffix: String { get }
    /// Appends the samples of the metric, with the family's name and the labels.
    func write(_ name: String, _ labels: [String], to text: inout OpenMetricsText)
}

/// A counter.
private final class Tally: CounterHandler, Measure {
    static let kind = OpenMetricsText.Kind.counter
    static let suffix = ""
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }

    func write(_ name: String, _ labels: [String], to text: inout OpenMetricsText) {
        text.sample(name + "_total", "\(count.load(ordering: .relaxed))", labels: labels)
    }
}

/// A gauge with the last value.
private final class Gauge: MeterHandler, RecorderHandler, Measure {
    static let kind = OpenMetricsText.Kind.gauge
    static let suffix = ""
    private let last = Mutex(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { last.withLock { $0 = value } }
    func increment(by amount: Double) { last.withLock { $0 += amount } }
    func decrement(by amount: Double) { last.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: [String], to text: inout OpenMetricsText) {
        text.sample(name, "\(last.withLock { $0 })", labels: labels)
    }
}
