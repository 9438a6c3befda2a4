internal import Logging
internal import Systemd

/// The formats of log lines.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// One text line per entry, on standard error.
    case text
    /// One JSON object per line, on standard error.
    case json
    /// Entries with fields, sent directly to the journal.
    case journald

    /// The format for this process: the journal if standard error is connected to it, else text.
    public static var suggested: LogFormat {
        JournalStream.isStandardError ? .journald : .text
    }
}

/// The metadata keys that the log interprets.
public enum LogKey {
    /// The permanent identifier of a kind of log line: 32 lower-case hexadecimal digits.
    ///
    /// The journal receives it as `MESSAGE_ID`. The text format omits it.
    public static let messageID = "messageID"
}

extension Logger.Level {
    /// The syslog priority of the level.
    var priority: JournalPriority {
        switch self {
        case .trace, .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        case .critical: .critical
        }
    }
}
