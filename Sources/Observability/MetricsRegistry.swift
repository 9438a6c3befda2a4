public import CoreMetrics
public import OpenMetrics
internal import Synchronization

/// Everything that is measured through swift-metrics, ready to be shown as OpenMetrics text.
///
/// Timers become histograms in seconds. Nothing is ever forgotten, so labels and dimensions must come
/// from a fixed set.
public final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let name: String
        let labels: [String]
        let kind: OpenMetricsText.Kind
    }

    private let measures = Mutex<[Key: any Measure]>([:])

    /// Makes an empty registry.
    public init() {}

    /// Adds everything to a text, sorted by name.
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

    /// Names the trace of a value that a timer without dimensions recorded; the bucket of the value shows
    /// the last one, as an exemplar. Does nothing for a timer that there is not.
    ///
    /// - Parameters:
    ///   - label: The label of the timer.
    ///   - nanoseconds: The value.
    ///   - traceID: The trace, as 32 hexadecimal digits.
    public func noteExemplar(label: String, nanoseconds: Int64, traceID: String) {
        let key = Key(name: label + Histogram.suffix, labels: [], kind: Histogram.kind)
        let timer = measures.withLock { $0[key] } as? Histogram
        timer?.noteExemplar(nanoseconds, traceID: traceID)
    }

    /// The measure of a label and dimensions: the one that was made before, or a new one.
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
    /// A counter; the same one for the same label and dimensions.
    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        measure(label, dimensions) { Tally() }
    }

    /// A gauge of the last value.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        measure(label, dimensions) { Gauge() }
    }

    /// A gauge of the last value: what is worth a histogram is a time.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        measure(label, dimensions) { Gauge() }
    }

    /// A histogram; the same one for the same label and dimensions.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        measure(label, dimensions) { Histogram() }
    }

    /// Keeps it: a counter that went away would look like one that was set back.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps it.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps it.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps it.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// One measure of the registry: the values of a label with its dimensions.
protocol Measure: AnyObject, Sendable {
    /// The kind of its family.
    static var kind: OpenMetricsText.Kind { get }
    /// The end of the family's name behind the label.
    static var suffix: String { get }
    /// Writes the samples of a family's name with labels.
    func write(_ name: String, _ labels: [String], to text: inout OpenMetricsText)
}

/// Counts up.
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

/// Keeps the last value.
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
