import StrictJSON

/// `ping`: is the daemon there?
public enum Ping: Method {
    /// The value to send back.
    public struct Params: ParameterRecord {
        /// A JSON value as it was written; nil for `true`.
        public var payload: [UInt8]?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "payload", \.payload, .anything(maximumBytes: 128),
                "A value that is returned unchanged.")
        ]

        /// Sends nothing.
        public init() {}
    }

    /// The echo.
    public struct Result: WireResult, Hashable {
        /// A JSON value as it was written; nil for `true`.
        public var payload: [UInt8]?

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "pong", { $0.payload ?? Array("true".utf8) }, ResultForm([:]) { $1.raw($0) },
                "The payload, or true without one.")
        ])

        /// Sends a value back.
        public init(payload: [UInt8]? = nil) {
            self.payload = payload
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "ping",
        summary: "Check that the daemon answers",
        description: """
            The reply comes from the event loop that owns the queue, and never waits for the store.
            """,
        role: .observe, queueCheck: .nothing,
        example: Result())
}
