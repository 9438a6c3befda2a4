public import StrictJSON

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

        /// Makes a result.
        public init(text: String) {
            self.text = text
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"format\":")
            writer.string(Self.format)
            writer.raw(",\"text\":")
            writer.string(text)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "metrics",
        summary: "Show metrics, as OpenMetrics text",
        description: """
            Connections, subscriptions, turns of the queue, records, transactions by state, health \
            of the store. A collector can read the text as it is.
            """,
        resultSchema: Schema.object([
            Schema.required("format", Schema.text, "The content type of the text."),
            Schema.required("text", Schema.text, "The metrics, one per line."),
        ]),
        role: .observe,
        example: .init(
            result: Result(
                text: """
                    # TYPE payqueued_connections gauge
                    payqueued_connections 1
                    # EOF

                    """)))
}
