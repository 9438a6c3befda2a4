import StrictJSON

/// `cancel`: end a waiting call.
public enum Cancel: Method {
    /// A call.
    public struct Params: ParameterRecord {
        /// The id of the call as it was written; compared byte by byte.
        public var id: [UInt8] = []

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "id", \.id, .requestID, "The id of the waiting call, exactly as it was sent.",
                example: 7)
        ]

        /// Names no call.
        public init() {}
    }

    /// Whether it was ended.
    public struct Result: WireResult, Hashable {
        /// Whether a call of that id was waiting on this connection.
        public var isCancelled: Bool

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "cancelled", \.isCancelled, .flag, "Whether a waiting call was cancelled.")
        ])

        /// Says whether a call was ended.
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
        role: .observe, queueCheck: .nothing,
        example: Result(isCancelled: true))
}
