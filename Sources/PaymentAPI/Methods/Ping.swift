import StrictJSON

/// `ping`: check that the daemon answers.
public enum Ping: Method {
    /// The value to return.
    public struct Params: ParameterRecord {
        /// The bytes of a JSON value as written; nil for `true`.
        public var payload: [UInt8]?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "payload", \.payload, .anything(maximumBytes: 128),
                "A value that is returned unchanged.")
        ]

        /// Creates parameters without a value.
        public init() {}
    }

    /// The returned value.
    public struct Result: WireResult, Hashable {
        /// The bytes of a JSON value as written; nil for `true`.
        public var payload: [UInt8]?

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "pong", { $0.payload ?? Array("true".utf8) }, ResultForm([:]) { $1.raw($0) },
                "The payload, or true without one.")
        ])

        /// Creates a result.
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
        role: .observe,
        example: Result())
}
