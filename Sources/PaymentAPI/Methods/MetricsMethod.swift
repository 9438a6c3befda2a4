import StrictJSON

/// `metrics`: the metrics of the daemon.
public enum MetricsMethod: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// All metrics.
    public struct Result: WireResult, Hashable {
        /// The content type of ``text``.
        public static let format = "application/openmetrics-text; version=1.0.0; charset=utf-8"

        /// The metrics as OpenMetrics text.
        public var text: String

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("format", { _ in format }, .text, "The content type of the text."),
            .required("text", \.text, .text, "The metrics, one per line."),
        ])

        /// Creates a result.
        public init(text: String) {
            self.text = text
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "metrics",
        summary: "Show metrics, as OpenMetrics text",
        description: """
            Connections, subscriptions, turns of the queue, records, transactions by state, health \
            of the store. A collector can read the text as it is.
            """,
        role: .observe,
        example: Result(
            text: """
                # TYPE payqueued_connections gauge
                payqueued_connections 1
                # EOF

                """))
}
