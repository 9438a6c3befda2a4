import FoundationEssentials
import Glibc

/// The temporary directory of a demo, which exists while the demo runs.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws(ConfigurationProblem) {
        var template = Array(Self.template.utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.problem(errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path with six placeholder letters, which are replaced when it is created.
    static var template: String { "\(base)/payqueued-demo-XXXXXX" }

    /// Checks whether a directory could be created, without creating one.
    static func examine() throws(ConfigurationProblem) {
        guard access(base, W_OK | X_OK) == 0 else { throw problem(errno) }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static var base: String {
        ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    }

    private static func problem(_ number: Int32) -> ConfigurationProblem {
        ConfigurationProblem(
            "cannot make a temporary directory in '\(base)': " + String(cString: strerror(number)))
    }
}
