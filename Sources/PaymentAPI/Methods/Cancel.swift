import StrictJSON

/// `cancel`: cancel a waiting call.
public enum Cancel: Method {
    /// The call to cancel.
    public struct Params: ParameterRecord {
        /// The bytes of the call's id as written; compared bytewise.
        public var id: [UInt8] = []

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "id", \.id, .requestID, "The id of the waiting call, exactly as it was sent.",
                example: 7)
        ]

        /// Creates parameters with an empty id.
        public init() {}
    }

    /// The outcome.
    public struct Result: WireResult, Hashable {
        /// True if a call with the id was waiting on this connection.
        public var isCancelled: Bool

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "cancelled", \.isCancelled, .flag, "Whether a waiting call was cancelled.")
        ])

        /// Creates a result.
        public init(isCancelled: Bool) {
            self.isCancelled = isCancelled
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "cancel",
        summary: "Cancel a waiting call of this connection",
        description: """
            The waiting call gets error -32010. Changes that it has already made stay. If no such \
            call is waiting, this is not an error: cancelled is false.
            """,
        role: .observe, hasEffect: true,
        example: Result(isCancelled: true))
}
