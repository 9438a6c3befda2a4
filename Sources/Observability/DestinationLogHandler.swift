internal import Logging

/// A log line with its metadata, ready to be written.
struct LogRecord {
    var time: WallTime
    var level: Logger.Level
    var label: String
    var message: String
    /// The metadata, sorted by key, so that equal lines have equal text.
    var metadata: [(key: String, value: Logger.MetadataValue)]
    var file: String
    var function: String
    var line: UInt
}

/// The destination of log lines. An implementation must not throw, trap or log.
protocol LogDestination: Sendable {
    func write(_ record: LogRecord)
}

/// The log handler: it merges a line's metadata and passes the line to its destination.
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

    /// Merges the metadata; later sources override earlier ones: logger, provider, log line.
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
