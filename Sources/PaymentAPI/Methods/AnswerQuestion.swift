public import PaymentCore
public import StrictJSON

/// `answer`: answer a question.
public enum AnswerQuestion: Method {
    /// Which question, and what.
    public struct Params: Sendable, Hashable {
        /// The question; nil for text that never named one.
        public var question: QuestionID?
        /// The question as the client names it.
        public var text: OpaqueText
        /// Whether to go on.
        public var value: Bool
        /// The reason given with the answer.
        public var reason: OpaqueText?

        /// Makes the parameters.
        public init(text: OpaqueText, value: Bool, reason: OpaqueText? = nil) {
            question = QuestionID(text.string)
            self.text = text
            self.value = value
            self.reason = reason
        }
    }

    /// The answer counts.
    public struct Result: WireResult, Hashable {
        /// The last record of what came of the answer.
        public var sequence: SequenceNumber

        /// Makes a result.
        public init(sequence: SequenceNumber) {
            self.sequence = sequence
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"accepted\":true,\"seq\":")
            writer.integer(sequence)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "answer",
        summary: "Answer a question",
        description: """
            Any client with role G may answer, whichever agent was asked. The first answer wins; \
            the client that gave it may repeat it while the daemon runs. A login closes a login \
            question with true; if it is answered true without a login, the waiting calls proceed \
            and their work waits for a login.
            """,
        parameters: [
            .required("question", .text(maximumBytes: nil), "The identifier of the question."),
            .required("value", .flag, "Whether to proceed."),
            .optional("reason", .text(maximumBytes: 256), "The reason; sent with questionClosed."),
        ],
        resultSchema: Schema.object([
            Schema.required("accepted", Schema.flag, "Always true; a refusal is an error."),
            Schema.required(
                "seq", Schema.sequence,
                """
                The sequence number of the record of the answer.
                """),
        ]),
        errors: [.unknownQuestion, .questionClosed, .notDurable],
        role: .gate,
        example: .init(
            params: ["question": .string(Examples.question.id.description), "value": true],
            result: Result(sequence: 9)))

    private enum Place: Int, ParameterPlace {
        case question, value, reason
    }

    /// Takes the answer.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let value = arguments.flag(Place.value) else {
            preconditionFailure("a required value was checked but cannot be read")
        }
        return Params(
            text: arguments.requiredText(Place.question, in: bytes), value: value,
            reason: arguments.text(Place.reason, in: bytes))
    }
}
