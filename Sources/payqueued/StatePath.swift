import Foundation
import Glibc

/// Where the state is kept.
enum StatePath {
    /// The place that the configuration, the service manager or the user's environment names.
    static func resolve(
        _ setting: Setting<String?>, environment: [String: String], temporary: String?
    ) throws(ConfigurationProblem) -> String {
        if let path = setting.value { return path }
        if let temporary { return "\(temporary)/state" }
        if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return String(path)
        }
        if let path = environment["XDG_STATE_HOME"], !path.isEmpty { return "\(path)/payqueued" }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw ConfigurationProblem(
                "no place for the state: give --state-directory DIR (neither $STATE_DIRECTORY, "
                    + "$XDG_STATE_HOME nor $HOME is set)")
        }
        return "\(home)/.local/state/payqueued"
    }
}

/// A directory of a demo: made at its start, gone at its end.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws(ConfigurationProblem) {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(base)/payqueued-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw ConfigurationProblem(
                "cannot make a temporary directory in '\(base)': "
                    + String(cString: strerror(errno)))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
