/// Measurements as OpenMetrics text. Every sample stands behind the head of its family.
public struct OpenMetricsText: Sendable {
    /// The kinds of families.
    public enum Kind: String, Sendable {
        /// A value that goes up and down.
        case gauge
        /// A value that only grows while the process runs; its sample is named with `_total`.
        case counter
        /// Counts of values by upper bound.
        case histogram
        /// The number and the sum of values.
        case summary
    }

    /// The text so far, without the line that ends it.
    public private(set) var text = ""
    private let prefix: String

    /// An empty text.
    ///
    /// - Parameter prefix: The beginning of all names, such as `example_`.
    public init(prefix: String) {
        self.prefix = prefix
    }

    /// The whole text, with the line that ends it.
    public var ended: String { text + "# EOF\n" }

    /// Begins a family.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String? = nil) {
        text += "# TYPE \(prefix)\(name) \(kind)\n"
        if let help { text += "# HELP \(prefix)\(name) \(help)\n" }
    }

    /// Writes a sample.
    ///
    /// - Parameters:
    ///   - name: The name of the family with the suffix of the sample.
    ///   - value: The value, and an exemplar where there is one.
    ///   - labels: Names and values, each as ``label(_:_:)`` writes it.
    public mutating func sample(_ name: String, _ value: String, labels: [String] = []) {
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        text += "\(prefix)\(name)\(braces) \(value)\n"
    }

    /// Writes a family of one value that goes up and down.
    public mutating func gauge(_ name: String, _ help: String, _ value: String) {
        family(name, .gauge, help)
        sample(name, value)
    }

    /// Writes a family of one value that goes up and down.
    public mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        gauge(name, help, "\(value)")
    }

    /// Writes a family of one condition: 1 if it is met, else 0.
    public mutating func gauge(_ name: String, _ help: String, _ isMet: Bool) {
        gauge(name, help, isMet ? "1" : "0")
    }

    /// Writes a family of values that go up and down, by a label.
    public mutating func gauge(
        _ name: String, _ help: String, by label: String, _ values: [(String, Int)]
    ) {
        family(name, .gauge, help)
        for (word, value) in values { sample(name, "\(value)", labels: [Self.label(label, word)]) }
    }

    /// Writes a family of one value that only grows.
    public mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .counter, help)
        sample(name + "_total", "\(value)")
    }

    /// Writes a family of values that only grow, by a label.
    public mutating func counter(
        _ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]
    ) {
        family(name, .counter, help)
        for (word, value) in values {
            sample(name + "_total", "\(value)", labels: [Self.label(label, word)])
        }
    }

    /// A label: its name, and its value in quotes.
    public static func label(_ name: String, _ value: String) -> String {
        var text = "\(name)=\""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text + "\""
    }

    /// Milliseconds as seconds, digit by digit.
    public static func seconds(milliseconds: Int64) -> String {
        seconds(milliseconds, perSecond: 1000, digits: 3)
    }

    /// Nanoseconds as seconds, digit by digit.
    public static func seconds(nanoseconds: Int64) -> String {
        seconds(nanoseconds, perSecond: 1_000_000_000, digits: 9)
    }

    private static func seconds(_ span: Int64, perSecond: Int64, digits: Int) -> String {
        let (whole, rest) = max(0, span).quotientAndRemainder(dividingBy: perSecond)
        let fraction = String(rest)
        return "\(whole)." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
    }
}
