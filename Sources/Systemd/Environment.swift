internal import Glibc

/// The variables through which a service manager talks to a process.
enum Environment {
    /// A variable's value, nil when it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let raw = getenv(name) else { return nil }
        let text = String(cString: raw)
        return text.isEmpty ? nil : text
    }
}
