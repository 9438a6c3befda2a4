internal import Glibc

/// The environment variables of the service manager's protocol.
enum Environment {
    /// The value of a variable; nil if it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let raw = getenv(name) else { return nil }
        let text = String(cString: raw)
        return text.isEmpty ? nil : text
    }
}
