public import PaymentCore
import StrictJSON

/// `ack`: acknowledge the events that a named observer has handled, or give its name up.
public enum Ack: Method {
    /// An observer, and a sequence number or the end of its name.
    public struct Params: ParameterRecord {
        /// The name of the observer.
        public var name: OpaqueText = ""
        /// The sequence number of the last handled record; nil to give the name up.
        public var sequence: SequenceNumber?
        private var forgets = false

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "name", \.name, .text(maximumBytes: Subscribe.nameBytes),
                "The name of the observer.", example: "books"),
            .optional(
                "seq", \.sequence, .sequence,
                "The sequence number of the last record that the observer has handled.",
                example: 6),
            .defaulted(
                "forget", \.forgets, .flag,
                "Give the name up, instead of seq: its position is forgotten, and any user may use it."
            ),
        ]

        /// Creates parameters with an empty name.
        public init() {}

        /// Refuses a call without a position that does not give the name up, and one with both.
        public func validate() throws(InvalidParameters) {
            if sequence == nil, !forgets {
                throw InvalidParameters(.missingParam, at: "/seq", expected: "seq or forget")
            }
            if sequence != nil, forgets {
                throw InvalidParameters(
                    .unknownParam, at: "/forget", expected: "seq or forget, not both")
            }
        }
    }

    /// The position after which the observer resumes.
    public struct Result: WireResult, Hashable {
        /// The sequence number of the last handled record.
        public var acknowledged: SequenceNumber
        /// True if the name was given up.
        public var isForgotten: Bool

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "acked", \.acknowledged, .sequence, "The position that is acknowledged now."),
            .optional(
                "forgotten", { $0.isForgotten ? true : nil }, .flag,
                "True if the name was given up; acked was its last position."),
        ])

        /// Creates a result.
        public init(acknowledged: SequenceNumber, isForgotten: Bool = false) {
            self.acknowledged = acknowledged
            self.isForgotten = isForgotten
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "ack",
        summary: "Acknowledge events on behalf of a named observer",
        description: """
            Stores the position durably: a later subscribe with the name starts after it. The \
            acknowledgement covers everything up to seq; a smaller seq than before changes \
            nothing. It does not finish transactions; finish does. With forget the name is given \
            up; a live subscription with it continues without a name. A name of another user needs \
            role admin.
            """,
        errors: [.cursorAhead, .unknownObserver, .notDurable],
        role: .observe, hasEffect: true,
        example: Result(acknowledged: 6))
}
