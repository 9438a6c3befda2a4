public import PaymentCore
import StrictJSON

/// `ack`: acknowledge the events that a named observer has handled.
public enum Ack: Method {
    /// An observer and a sequence number.
    public struct Params: ParameterRecord {
        /// The name of the observer.
        public var name: OpaqueText = ""
        /// The sequence number of the last handled record.
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

        /// Creates parameters with an empty name.
        public init() {}
    }

    /// The position after which the observer resumes.
    public struct Result: WireResult, Hashable {
        /// The sequence number of the last handled record.
        public var acknowledged: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "acked", \.acknowledged, .sequence, "The position that is acknowledged now.")
        ])

        /// Creates a result.
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
