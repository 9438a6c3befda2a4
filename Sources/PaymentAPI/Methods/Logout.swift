public import PaymentCore
public import StrictJSON

/// `logout`: close the session with the store.
public enum Logout: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Nobody is in session.
    public struct Result: WireResult, Hashable {
        /// The record of the change, or the position as of which nobody is in session.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(sequence: SequenceNumber) {
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "logout",
        summary: "Close the session",
        description: """
            The account's transactions are hidden until it logs in again; what is under way at the \
            store goes on there. The session at the store ends as well if the store can be reached; \
            its tokens are forgotten in any case. Logging out twice is no error.
            """,
        resultSchema: Schema.object([
            Schema.required("seq", Schema.sequence, "The record of the change, or the newest.")
        ]),
        errors: [.notDurable],
        role: .buy,
        example: .init(result: Result(sequence: 9)))
}
