internal import Logging

/// A log line on its way out: everything it says, in the order in which it is said.
struct LogRecord {
    var time: WallTime
    var level: Logger.Level
    var label: String
    var message: String
    /// Sorted by key, so that equal lines are equal texts.
    var metadata: [(key: String, value: Logger.MetadataValue)]
    var file: String
    var function: String
    var line: UInt
}

/// The destination of log lines. Must not throw, trap or log.
protocol LogDestination: Sendable {
    func write(_ record: LogRecord)
}

/// The one log handler: it gathers a line's metadata and hands the line to its destination.
struct DestinationLogHandler: LogHandler {
    let label: String
    let threshold: LogThreshold
    let destination: any LogDestination
    var clock: @Sendable () -> WallTime = WallTime.now
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private var ownLevel: Logger.Level?

    init(label: String, threshold: LogThreshold, destination: any LogDestination) {
        self.label = label
        self.threshold = threshold
        self.destination = destination
    }

    /// The shared threshold, unless the level of this logger was set by hand.
    var logLevel: Logger.Level {
        get { ownLevel ?? threshold.level }
        set { ownLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        destination.write(
            LogRecord(
                time: clock(), level: event.level, label: label,
                message: event.message.description, metadata: gather(event), file: event.file,
                function: event.function, line: event.line))
    }

    /// The nearer to the call, the stronger: logger, then provider, then the line itself.
    private func gather(_ event: LogEvent) -> [(key: String, value: Logger.MetadataValue)] {
        var all = metadata
        if let provided = metadataProvider?.get() {
            all.merge(provided) { _, nearer in nearer }
        }
        if let given = event.metadata {
            all.merge(given) { _, nearer in nearer }
        }
        if let error = event.error, all["error"] == nil {
            all["error"] = .string(String(describing: error))
        }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
