import StrictJSON

/// `metrics`: what is counted.
public enum MetricsMethod: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// All counters.
    public struct Result: WireResult, Hashable {
        /// How ``text`` is to be read: the content type of the exposition format.
        public static let format = "application/openmetrics-text; version=1.0.0; charset=utf-8"

        /// The counters as OpenMetrics text.
        public var text: String

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required("format", { _ in format }, .text, "The content type of the text."),
            .required("text", \.text, .text, "The metrics, one per line."),
        ])

        /// Shows a text.
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
        role: .observe, queueCheck: .nothing,
        example: Result(
            text: """
                # TYPE payqueued_connections gauge
                payqueued_connections 1
                # EOF

                """))
}
