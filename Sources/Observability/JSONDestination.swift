internal import Logging

/// A destination that writes one JSON object per line, with members in a fixed order.
struct JSONDestination: LogDestination {
    let output: LineOutput

    func write(_ record: LogRecord) {
        output.write(Self.line(record))
    }

    static func line(_ record: LogRecord) -> String {
        var text = "{\"time\":\"\(record.time.rfc3339)\",\"level\":\"\(record.level.rawValue)\""
        text += ",\"logger\":\(quoted(record.label)),\"message\":\(quoted(record.message))"
        if !record.metadata.isEmpty {
            text += ",\"metadata\":\(object(record.metadata))"
        }
        return text + "}"
    }

    private static func object(
        _ members: [(key: String, value: Logger.MetadataValue)]
    ) -> String {
        "{" + members.map { "\(quoted($0.key)):\(json($0.value))" }.joined(separator: ",") + "}"
    }

    /// A metadata value as JSON. Dictionaries are sorted, so that equal values have equal text.
    static func json(_ value: Logger.MetadataValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .stringConvertible(let value): json(convertible: value)
        case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
        case .dictionary(let members):
            object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }

    /// Booleans and integers keep their JSON types, so that queries can compare them. An integer
    /// that JSON readers would round becomes a string.
    private static func json(convertible value: any CustomStringConvertible) -> String {
        if let truth = value as? Bool { return truth ? "true" : "false" }
        if let integer = value as? any BinaryInteger, let number = Int64(exactly: integer),
            number.magnitude < 1 << 53
        {
            return String(number)
        }
        return quoted(value.description)
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}": quoted += escape(scalar)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func escape(_ control: Unicode.Scalar) -> String {
        let digits = String(control.value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}
