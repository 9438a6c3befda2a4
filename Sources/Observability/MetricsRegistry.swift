public import CoreMetrics
internal import Synchronization

/// Everything that is measured through swift-metrics, ready to be shown as OpenMetrics text.
///
/// Timers become histograms in seconds; labels become names behind a prefix. Nothing is ever forgotten,
/// so labels and dimensions must come from a fixed set.
public final class MetricsRegistry: MetricsFactory, Sendable {
    private struct Key: Hashable {
        let label: String
        let dimensions: [String]
    }

    private struct State {
        var timers: [Key: Histogram] = [:]
        var counters: [Key: Tally] = [:]
        var gauges: [Key: Gauge] = [:]
    }

    private let prefix: String
    private let state = Mutex(State())

    /// Makes an empty registry.
    ///
    /// - Parameter prefix: What all names begin with, such as `example_`.
    public init(prefix: String) {
        self.prefix = prefix
    }

    /// The text of everything, sorted by name, without the final line of the format.
    public func text() -> String {
        let state = state.withLock { $0 }
        var families: [String: (type: String, lines: [String])] = [:]
        func add(_ key: Key, _ suffix: String, _ type: String, _ lines: (String) -> [String]) {
            let name = prefix + key.label + suffix
            families[name, default: (type, [])].lines += lines(name)
        }
        for key in Self.sorted(state.timers.keys) {
            add(key, "_seconds", "histogram") { name in
                state.timers[key]?.lines(name, key.dimensions) ?? []
            }
        }
        for key in Self.sorted(state.counters.keys) {
            add(key, "", "counter") { name in
                let value = state.counters[key]?.value ?? 0
                return ["\(name)_total\(Self.labels(key.dimensions)) \(value)"]
            }
        }
        for key in Self.sorted(state.gauges.keys) {
            add(key, "", "gauge") { name in
                ["\(name)\(Self.labels(key.dimensions)) \(state.gauges[key]?.value ?? 0)"]
            }
        }
        return families.sorted { $0.key < $1.key }.map { name, family in
            (["# TYPE \(name) \(family.type)"] + family.lines).joined(separator: "\n") + "\n"
        }.joined()
    }

    /// Names the trace of a value that a timer without dimensions recorded; the bucket of the value shows
    /// the last one, as an exemplar. Does nothing for a timer that there is not.
    ///
    /// - Parameters:
    ///   - label: The label of the timer.
    ///   - nanoseconds: The value.
    ///   - traceID: The trace, as 32 hexadecimal digits.
    public func noteExemplar(label: String, nanoseconds: Int64, traceID: String) {
        let timer = state.withLock { $0.timers[Key(label: label, dimensions: [])] }
        timer?.noteExemplar(nanoseconds, traceID: traceID)
    }

    /// Labels in braces; nothing if there are none.
    static func labels(_ dimensions: [String]) -> String {
        dimensions.isEmpty ? "" : "{\(dimensions.joined(separator: ","))}"
    }

    private static func sorted(_ keys: some Collection<Key>) -> [Key] {
        keys.sorted {
            ($0.label, $0.dimensions.joined()) < ($1.label, $1.dimensions.joined())
        }
    }

    private func key(_ label: String, _ dimensions: [(String, String)]) -> Key {
        Key(label: label, dimensions: dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" })
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}

extension MetricsRegistry {
    /// A counter; the same one for the same label and dimensions.
    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let known = state.counters[key] { return known }
            let made = Tally()
            state.counters[key] = made
            return made
        }
    }

    /// A gauge of the last value.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    /// A gauge of the last value: what is worth a histogram is a time.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        gauge(label, dimensions)
    }

    /// A histogram; the same one for the same label and dimensions.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let known = state.timers[key] { return known }
            let made = Histogram()
            state.timers[key] = made
            return made
        }
    }

    /// Keeps it: a counter that went away would look like one that was set back.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Keeps it.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Keeps it.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Keeps it.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> Gauge {
        let key = key(label, dimensions)
        return state.withLock { state in
            if let known = state.gauges[key] { return known }
            let made = Gauge()
            state.gauges[key] = made
            return made
        }
    }
}

/// Counts up.
private final class Tally: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }
}

/// Keeps the last value.
private final class Gauge: MeterHandler, RecorderHandler {
    private let last = Mutex(0.0)

    var value: Double { last.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { last.withLock { $0 = value } }
    func increment(by amount: Double) { last.withLock { $0 += amount } }
    func decrement(by amount: Double) { last.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}
