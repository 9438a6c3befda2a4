public import PaymentCore
public import StrictJSON

/// `logout`: close the session with the store.
public enum Logout: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// No account is in session.
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

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "logout",
        summary: "Close the session",
        description: """
            The account's transactions are hidden until it logs in again; orders that are in \
            flight at the store continue there. The session at the store ends too if the store can \
            be reached; its tokens are deleted in any case. Logging out twice is not an error.
            """,
        resultSchema: Schema.object([
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of the change; the newest record if nothing changed.
                """)
        ]),
        errors: [.notDurable],
        role: .buy,
        example: .init(result: Result(sequence: 9)))
}
