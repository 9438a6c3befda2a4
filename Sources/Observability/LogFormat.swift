internal import Logging
internal import Systemd

/// How log lines are written.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// One line for people, on standard error.
    case text
    /// One JSON object a line, on standard error.
    case json
    /// Entries with fields, straight to the machine's journal.
    case journald

    /// The format for this process: the journal if standard error ends there, text otherwise.
    public static var suggested: LogFormat {
        JournalStream.isStandardError ? .journald : .text
    }
}

/// Metadata keys that mean something to the log itself.
public enum LogKey {
    /// Names the kind of a log line for ever: 32 lower-case hexadecimal digits.
    ///
    /// The journal gets it as `MESSAGE_ID`; the text format, which is for people, leaves it out.
    public static let messageID = "messageID"
}

extension Logger.Level {
    /// The level's rank as syslog counts.
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
