internal import Logging
internal import Systemd

/// A destination of text lines: time, level, logger, message, then `key=value` pairs.
struct TextDestination: LogDestination {
    let output: LineOutput
    let prefixesPriority: Bool

    func write(_ record: LogRecord) {
        output.write(line(record))
    }

    func line(_ record: LogRecord) -> String {
        let start =
            prefixesPriority ? "<\(record.level.priority.rawValue)>" : record.time.rfc3339 + " "
        return start + "\(record.level.rawValue) \(record.label): " + Self.sentence(record)
    }

    /// The message and the metadata, also used as the message in the journal.
    static func sentence(_ record: LogRecord) -> String {
        var text = printable(record.message)
        for (key, value) in record.metadata where key != LogKey.messageID {
            text += " \(printable(key))=\(shown(value))"
        }
        return text
    }

    private static func shown(_ value: Logger.MetadataValue) -> String {
        let text = value.plainText
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0 != " " && $0 != "\"" && $0 != "=" && !isTreacherous($0)
            }
        guard !isPlain else { return text }
        let quoted = text.unicodeScalars.map { $0 == "\"" ? "\\\"" : printable($0) }
        return "\"" + quoted.joined() + "\""
    }

    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isTreacherous) else { return text }
        return text.unicodeScalars.map(printable).joined()
    }

    private static func printable(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\\": "\\\\"
        default:
            isTreacherous(scalar)
                ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
        }
    }

    /// True if a character could break the line, control a terminal or reorder the text. Clients
    /// could otherwise do so through logged values.
    private static func isTreacherous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: scalar == "\\"
        }
    }
}

extension Logger.MetadataValue {
    /// The text of a single value, or the JSON of a collection.
    var plainText: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array, .dictionary: JSONDestination.json(self)
        }
    }
}
