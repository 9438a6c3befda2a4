public import OpenMetrics
public import PaymentAPI
public import PaymentCore

/// The state of the daemon's other parts that the server reports. The server depends neither on the
/// storage nor on the back end.
public struct ServerFacts: Sendable {
    /// The time at which the daemon was ready.
    public var startedAt: Timestamp
    /// Whether the state directory is lost when the machine stops.
    public var isVolatile: Bool
    /// The size of the event log in bytes.
    public var logBytes: @Sendable () -> Int
    /// The files of the state directory.
    public var storage: @Sendable () -> StatusReport.Storage
    /// Adds the measurements of the daemon's other parts.
    public var measurements: @Sendable (inout OpenMetricsText) -> Void

    /// Creates the facts.
    public init(
        startedAt: Timestamp, isVolatile: Bool, logBytes: @escaping @Sendable () -> Int,
        storage: @escaping @Sendable () -> StatusReport.Storage = { StatusReport.Storage() },
        measurements: @escaping @Sendable (inout OpenMetricsText) -> Void = { _ in }
    ) {
        self.storage = storage
        self.measurements = measurements
        self.startedAt = startedAt
        self.isVolatile = isVolatile
        self.logBytes = logBytes
    }
}
