public import StrictJSON

/// `ping`: is the daemon there?
public enum Ping: Method {
    /// The value to send back.
    public struct Params: Sendable, Hashable {
        /// A JSON value as it was written; nil for `true`.
        public var payload: [UInt8]?

        /// Makes the parameters.
        public init(payload: [UInt8]? = nil) {
            self.payload = payload
        }
    }

    /// The echo.
    public struct Result: WireResult, Hashable {
        /// A JSON value as it was written; nil for `true`.
        public var payload: [UInt8]?

        /// Makes the echo.
        public init(payload: [UInt8]? = nil) {
            self.payload = payload
        }

        /// Appends the echo.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"pong\":")
            if let payload { writer.raw(payload) } else { writer.raw("true") }
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "ping",
        summary: "Check that the daemon answers",
        description: """
            The reply comes from the event loop that owns the queue, and never waits for the store.
            """,
        parameters: [
            .optional(
                "payload", .anything(maximumBytes: 128),
                """
                A value that is returned unchanged.
                """)
        ],
        resultSchema: Schema.object([
            Schema.required("pong", [:], "The payload, or true without one.")
        ]),
        role: .observe,
        example: .init(result: Result()))

    private enum Place: Int, ParameterPlace {
        case payload
    }

    /// Takes what to send back.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(payload: arguments.raw(Place.payload, in: bytes))
    }
}
