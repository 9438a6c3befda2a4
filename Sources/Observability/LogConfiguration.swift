internal import Glibc
public import Logging
internal import Systemd

/// The destination and format of log lines.
public struct LogConfiguration: Sendable {
    /// The format of the lines.
    public var format: LogFormat
    /// The lowest level that is written. Keep the object to change the level later.
    public var threshold: LogThreshold
    /// The prefix of this program's journal fields, in upper case: `EXAMPLE` gives
    /// `EXAMPLE_CLIENT_UID`.
    public var fieldPrefix: String
    /// True if text lines begin with `<N>`, where N is the syslog priority.
    ///
    /// The prefix is for a reader that interprets it, such as a manager that collects standard
    /// error. Such a reader adds timestamps itself, so the lines then have none.
    public var prefixesPriority: Bool

    /// The journal's message IDs by the message of the log line. ``LogKey/messageID`` takes
    /// precedence.
    public var messageIDs: [String: String] = [:]

    /// Creates a configuration.
    public init(
        format: LogFormat, threshold: LogThreshold, fieldPrefix: String,
        prefixesPriority: Bool = false
    ) {
        self.format = format
        self.threshold = threshold
        self.fieldPrefix = fieldPrefix
        self.prefixesPriority = prefixesPriority
    }

    /// Returns the factory of log handlers for `LoggingSystem.bootstrap`.
    ///
    /// The handlers never fail or trap; a line that cannot be written is lost. For this the call
    /// makes the process ignore `SIGPIPE`. On a machine without a journal, the format `journald`
    /// falls back to text.
    public func handlerFactory() -> @Sendable (String) -> any LogHandler {
        signal(SIGPIPE, SIG_IGN)
        let destination = makeDestination()
        let threshold = threshold
        return { label in
            DestinationLogHandler(label: label, threshold: threshold, destination: destination)
        }
    }

    private func makeDestination() -> any LogDestination {
        let output = LineOutput(descriptor: STDERR_FILENO)
        switch format {
        case .journald where Journald.isAvailable:
            return JournalDestination(
                fieldPrefix: fieldPrefix, messageIDs: messageIDs, send: { Journald.send($0) })
        case .text, .journald:
            return TextDestination(output: output, prefixesPriority: prefixesPriority)
        case .json:
            return JSONDestination(output: output)
        }
    }
}
