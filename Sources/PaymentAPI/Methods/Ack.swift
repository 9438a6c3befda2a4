public import PaymentCore
import StrictJSON

/// `ack`: say up to where a named observer has dealt with everything.
public enum Ack: Method {
    /// An observer and a position.
    public struct Params: ParameterRecord {
        /// The observer.
        public var name: OpaqueText = ""
        /// The position up to which it has dealt with everything.
        public var sequence: SequenceNumber = 0

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "name", \.name, .text(maximumBytes: Subscribe.nameBytes),
                "The name of the observer.", example: "books"),
            .required(
                "seq", \.sequence, .sequence,
                "The sequence number of the last record that the observer has handled.",
                example: 6),
        ]

        /// Names no observer.
        public init() {}
    }

    /// The position at which the observer begins when it comes back.
    public struct Result: WireResult, Hashable {
        /// The position up to which it has dealt with everything.
        public var acknowledged: SequenceNumber

        /// The members.
        public static let form = ResultForm<Result>.object([
            .required(
                "acked", \.acknowledged, .sequence, "The position that is acknowledged now.")
        ])

        /// Shows a position.
        public init(acknowledged: SequenceNumber) {
            self.acknowledged = acknowledged
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "ack",
        summary: "Acknowledge events on behalf of a named observer",
        description: """
            Stores the position durably: a later subscribe with the name starts after it. The \
            acknowledgement covers everything up to seq; a smaller seq than before changes \
            nothing. It does not finish transactions; finish does.
            """,
        errors: [.cursorAhead, .unknownObserver, .notDurable],
        role: .observe, queueCheck: .nothing, example: Result(acknowledged: 6))
}
