import PaymentAPI
import StrictJSON

/// One key of the configuration: how it is read and shown, and what the reference says of it.
///
/// The table ``all`` is the only list of keys. The configuration file, `--print-config`, a reload, the
/// JSON Schema and, through the schema, the pages of the reference are made from it.
struct ConfigurationKey: Sendable {
    /// Reads the key from flags, environment and file.
    typealias Reader =
        @Sendable (
            SettingSources, inout DaemonConfiguration
        ) throws(ConfigurationProblem) -> Void

    /// The value in force as text, nil for none, and where it came from.
    typealias Shown = (value: String?, source: SettingSource)

    /// The key in the file; a key inside of an object has the key of the object and a dot before it.
    let name: String
    /// The meaning: one or two sentences.
    let meaning: String
    /// The values that it takes.
    let shape: Shape
    /// The value without the key.
    let standard: Standard
    /// A value as people write it.
    let example: JSONValue
    /// Whether a reload puts a new value in force; every other key waits for the next start.
    let isReloadable: Bool
    /// Whether the daemon has a flag of this name.
    let hasFlag: Bool
    /// The environment variable, where it does not have the name of the key.
    var namedVariable: String?
    /// Reads the value into a configuration.
    let read: Reader
    /// The value of a configuration.
    let shown: @Sendable (DaemonConfiguration) -> Shown

    /// The values that a key takes.
    enum Shape: Sendable {
        /// A text of at least one character that fits the pattern, if there is one.
        case text(pattern: String?, longest: Int?)
        /// A truth value.
        case flag
        /// One of these words.
        case word([String])
        /// A whole number.
        case number(ClosedRange<Int>)
        /// A list of roles.
        case roles
        /// Lists of roles by the names or numbers of users or groups.
        case roleTable
    }

    /// The value without a key.
    enum Standard: Sendable {
        case value(JSONValue)
        /// A value that depends on the surroundings, or none.
        case words(String)
    }

    /// The object that holds the key, and the name in it; the object is empty at the top of the file.
    var place: (object: String, name: String) {
        let parts = name.split(separator: ".").map(String.init)
        return parts.count == 1 ? ("", parts[0]) : (parts[0], parts[1])
    }

    /// The place in the file as a JSON Pointer.
    var pointer: String { "/" + name.replacing(".", with: "/") }

    /// The flag, if there is one: `--log-level` for `logLevel`.
    var flag: String? {
        guard hasFlag else { return nil }
        return name.reduce(into: "--") { name, letter in
            name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }

    /// The environment variable of a key at the top that holds one value: `PAYQUEUED_LOG_LEVEL` for
    /// `logLevel`.
    var variable: String? {
        if let namedVariable { return namedVariable }
        guard place.object.isEmpty else { return nil }
        return name.reduce(into: "PAYQUEUED_") { name, letter in
            name += letter.isUppercase ? "_" + String(letter) : letter.uppercased()
        }
    }

    /// The unit that the end of the name says.
    var unit: String? {
        ["Seconds", "Days", "Bytes"].first { name.hasSuffix($0) }?.lowercased()
    }

    /// The keys by the objects that hold them, in the order of the table.
    static let objects: [(object: String, keys: [ConfigurationKey])] = {
        var found: [(object: String, keys: [ConfigurationKey])] = []
        for key in all {
            if let index = found.firstIndex(where: { $0.object == key.place.object }) {
                found[index].keys.append(key)
            } else {
                found.append((key.place.object, [key]))
            }
        }
        return found
    }()
}
