public import PaymentCore
import StrictJSON

/// `logout`: close the session with the store.
public enum Logout: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The result of a logout.
    public struct Result: WireResult, Hashable {
        /// The sequence number of the record of the change; the newest record if nothing changed.
        public var sequence: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record of the change; the newest record if nothing \
                changed.
                """)
        ])

        /// Creates a result.
        public init(sequence: SequenceNumber) {
            self.sequence = sequence
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "logout",
        summary: "Close the session",
        description: """
            The account's transactions are hidden until it logs in again; orders that are in \
            flight at the store continue there. The session at the store ends too if the store can \
            be reached; its tokens are deleted in any case. Logging out twice is not an error.
            """,
        errors: [.notDurable],
        role: .buy,
        example: Result(sequence: 9))
}
