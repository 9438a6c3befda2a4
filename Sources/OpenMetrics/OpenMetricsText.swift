/// A builder of OpenMetrics text. The samples of a family must follow its header.
public struct OpenMetricsText: Sendable {
    /// The types of families.
    public enum Kind: String, Sendable {
        /// A value that can rise and fall.
        case gauge
        /// A value that only rises while the process runs; its samples have the suffix `_total`.
        case counter
        /// Counts of values by upper bound of their bucket.
        case histogram
        /// The number of values and their sum.
        case summary
    }

    /// The text so far, without the end marker.
    public private(set) var text = ""
    private let prefix: String

    /// Creates an empty text.
    ///
    /// - Parameter prefix: The prefix of all names, such as `example_`.
    public init(prefix: String) {
        self.prefix = prefix
    }

    /// The whole text, with the end marker.
    public var ended: String { text + "# EOF\n" }

    /// Writes the header of a family.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String? = nil) {
        text += "# TYPE \(prefix)\(name) \(kind)\n"
        if let help { text += "# HELP \(prefix)\(name) \(help)\n" }
    }

    /// Writes a sample of the current family.
    ///
    /// - Parameters:
    ///   - name: The name of the family, with the suffix of the sample.
    ///   - value: The value, optionally followed by an exemplar.
    ///   - labels: The labels, each in the form of ``label(_:_:)``.
    public mutating func sample(_ name: String, _ value: String, labels: [String] = []) {
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        text += "\(prefix)\(name)\(braces) \(value)\n"
    }

    /// Writes a gauge family with one sample.
    public mutating func gauge(_ name: String, _ help: String, _ value: String) {
        family(name, .gauge, help)
        sample(name, value)
    }

    /// Writes a gauge family with one sample.
    public mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        gauge(name, help, "\(value)")
    }

    /// Writes a gauge family for a condition: 1 if it is met, else 0.
    public mutating func gauge(_ name: String, _ help: String, _ isMet: Bool) {
        gauge(name, help, isMet ? "1" : "0")
    }

    /// Writes a gauge family with one sample per value of a label.
    public mutating func gauge(
        _ name: String, _ help: String, by label: String, _ values: [(String, Int)]
    ) {
        family(name, .gauge, help)
        for (word, value) in values { sample(name, "\(value)", labels: [Self.label(label, word)]) }
    }

    /// Writes a counter family with one sample.
    public mutating func counter(_ name: String, _ help: String, _ value: UInt64) {
        family(name, .counter, help)
        sample(name + "_total", "\(value)")
    }

    /// Writes a counter family with one sample per value of a label.
    public mutating func counter(
        _ name: String, _ help: String, by label: String, _ values: [(String, UInt64)]
    ) {
        family(name, .counter, help)
        for (word, value) in values {
            sample(name + "_total", "\(value)", labels: [Self.label(label, word)])
        }
    }

    /// A label: its name and its quoted value.
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

    /// A number of milliseconds as seconds, with three decimals; negative numbers become zero.
    public static func seconds(milliseconds: Int64) -> String {
        seconds(milliseconds, perSecond: 1000, digits: 3)
    }

    /// A number of nanoseconds as seconds, with nine decimals; negative numbers become zero.
    public static func seconds(nanoseconds: Int64) -> String {
        seconds(nanoseconds, perSecond: 1_000_000_000, digits: 9)
    }

    private static func seconds(_ span: Int64, perSecond: Int64, digits: Int) -> String {
        let (whole, rest) = max(0, span).quotientAndRemainder(dividingBy: perSecond)
        let fraction = String(rest)
        return "\(whole)." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
    }
}
