public import Logging
import Synchronization

/// A log that keeps what is logged.
public struct NotedLog: LogHandler {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// The metadata of every line; it is not kept.
    public var metadata: Logger.Metadata = [:]
    /// The lowest level that is kept: warnings at first.
    public var logLevel = Logger.Level.warning
    private let kept = Lines()

    /// Creates a log without lines.
    public init() {}

    /// The lines, oldest first, each with its level: `warning: store does not answer`.
    public var lines: [String] { kept.all.withLock { $0 } }

    /// A logger that writes here.
    public var logger: Logger { Logger(label: "test") { _ in self } }

    /// A value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Keeps a line.
    public func log(event: LogEvent) {
        kept.all.withLock { $0.append("\(event.level): \(event.message)") }
    }
}
