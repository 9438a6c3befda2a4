public import PaymentCore
import StrictJSON

/// `logout`: close the session with the store.
public enum Logout: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// No account is in session.
    public struct Result: WireResult, Hashable {
        /// The record of the change, or the position as of which nobody is in session.
        public var sequence: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "seq", \.sequence, .sequence,
                """
                The sequence number of the record of the change; the newest record if nothing \
                changed.
                """)
        ])

        /// Shows the record of a logout.
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
        role: .buy, queueCheck: .nothing,
        example: Result(sequence: 9))
}
