import PaymentAPI
import StrictJSON

/// One key of the configuration: how it is read and shown, and its text in the reference.
///
/// The table ``all`` is the only list of keys. The configuration file, `--print-config`, reloads
/// and the JSON Schema use it. The reference pages are generated from the schema.
struct ConfigurationKey: Sendable {
    /// Reads the key from flags, environment and file.
    typealias Reader =
        @Sendable (
            SettingSources, inout DaemonConfiguration
        ) throws(ConfigurationProblem) -> Void

    /// The current value as text, nil for none, and its source.
    typealias Shown = (value: String?, source: SettingSource)

    /// The key in the file; inside an object it is prefixed with the object's key and a dot.
    let name: String
    /// The description, one or two sentences.
    let meaning: String
    /// The permitted values.
    let shape: Shape
    /// The default value.
    let standard: Standard
    /// An example value as users write it.
    let example: JSONValue
    /// Whether a reload applies a new value; other keys need a restart.
    let isReloadable: Bool
    /// Whether the daemon has a flag for this key.
    let hasFlag: Bool
    /// The environment variable, if its name differs from the key.
    var namedVariable: String?
    /// Reads the value into a configuration.
    let read: Reader
    /// Shows the value in a configuration.
    let shown: @Sendable (DaemonConfiguration) -> Shown

    /// The permitted values of a key.
    enum Shape: Sendable {
        /// A non-empty string that matches the pattern, if there is one.
        case text(pattern: String?, longest: Int?)
        /// A Boolean value.
        case flag
        /// One of the given words.
        case word([String])
        /// An integer.
        case number(ClosedRange<Int>)
        /// A list of roles.
        case roles
        /// Lists of roles by the names or ids of users or groups.
        case roleTable
    }

    /// The default value of a key.
    enum Standard: Sendable {
        case value(JSONValue)
        /// A value that depends on the environment, or none, in words.
        case words(String)
    }

    /// The object of the key and the name in it; the object is empty at the top level.
    var place: (object: String, name: String) {
        let parts = name.split(separator: ".").map(String.init)
        return parts.count == 1 ? ("", parts[0]) : (parts[0], parts[1])
    }

    /// The JSON Pointer of the key in the file.
    var pointer: String { "/" + name.replacing(".", with: "/") }

    /// The flag, such as `--log-level` for `logLevel`; nil if there is none.
    var flag: String? {
        guard hasFlag else { return nil }
        return name.reduce(into: "--") { name, letter in
            name += letter.isUppercase ? "-" + letter.lowercased() : String(letter)
        }
    }

    /// The environment variable of a top-level key with one value, such as `PAYQUEUED_LOG_LEVEL`
    /// for `logLevel`.
    var variable: String? {
        if let namedVariable { return namedVariable }
        guard place.object.isEmpty else { return nil }
        return name.reduce(into: "PAYQUEUED_") { name, letter in
            name += letter.isUppercase ? "_" + String(letter) : letter.uppercased()
        }
    }

    /// The unit in the suffix of the name.
    var unit: String? {
        ["Seconds", "Days", "Bytes"].first { name.hasSuffix($0) }?.lowercased()
    }

    /// The keys grouped by object, in the order of the table.
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
