public import StrictJSON

/// `cancel`: end a waiting call.
public enum Cancel: Method {
    /// Which call.
    public struct Params: Sendable, Hashable {
        /// The id of the call as it was written; compared byte by byte.
        public var id: [UInt8]
    }

    /// Whether it was ended.
    public struct Result: WireResult, Hashable {
        /// Whether a call of that id was waiting on this connection.
        public var isCancelled: Bool

        /// Makes a result.
        public init(isCancelled: Bool) {
            self.isCancelled = isCancelled
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"cancelled\":")
            writer.bool(isCancelled)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "cancel",
        summary: "Cancel a waiting call of this connection",
        description: """
            The waiting call gets error -32010. Changes that it has already made stay. If no such \
            call is waiting, this is not an error: cancelled is false.
            """,
        parameters: [
            .required("id", .requestID, "The id of the waiting call, exactly as it was sent.")
        ],
        resultSchema: Schema.object([
            Schema.required("cancelled", Schema.flag, "Whether a waiting call was cancelled.")
        ]),
        role: .observe,
        example: .init(params: ["id": 7], result: Result(isCancelled: true)))

    private enum Place: Int, ParameterPlace {
        case id
    }

    /// Takes the id.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let id = arguments.raw(Place.id, in: bytes) else {
            preconditionFailure("a required id was checked but cannot be read")
        }
        return Params(id: id)
    }
}
