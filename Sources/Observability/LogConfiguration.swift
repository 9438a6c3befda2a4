internal import Glibc
public import Logging
internal import Systemd

/// Where log lines go and what they look like.
public struct LogConfiguration: Sendable {
    /// How lines are written.
    public var format: LogFormat
    /// The least grave level that is written. Keep the object to change the level later.
    public var threshold: LogThreshold
    /// The prefix of one's own journal fields, as upper-case letters: `EXAMPLE` gives
    /// `EXAMPLE_CLIENT_UID`.
    public var fieldPrefix: String
    /// Whether text lines begin with `<N>`, N being the priority as syslog counts.
    ///
    /// For a reader that understands it, such as a manager that collects standard error. Such a
    /// reader stamps lines itself, so they carry no time then.
    public var prefixesPriority: Bool

    /// The names of kinds of log lines by what those lines say, for the journal: see
    /// ``LogKey/messageID``, which goes before it.
    public var messageIDs: [String: String] = [:]

    /// Makes a configuration.
    public init(
        format: LogFormat, threshold: LogThreshold, fieldPrefix: String,
        prefixesPriority: Bool = false
    ) {
        self.format = format
        self.threshold = threshold
        self.fieldPrefix = fieldPrefix
        self.prefixesPriority = prefixesPriority
    }

    /// Makes the function that `LoggingSystem.bootstrap` wants.
    ///
    /// No handler that it makes ever fails or traps: a line that cannot be written is lost. To that
    /// end the whole process ignores `SIGPIPE` from here on. Asked for the journal on a machine
    /// that has none, the handlers write text instead of losing every line.
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
