public import PaymentCore
import StrictJSON

/// `answer`: answer a question.
public enum AnswerQuestion: Method {
    /// A question and its answer.
    public struct Params: ParameterRecord {
        /// The identifier of the question, as the client sent it.
        public var text: OpaqueText = ""
        /// The answer: true proceeds, false stops.
        public var value = false
        /// The reason for the answer; nil for none.
        public var reason: OpaqueText?

        /// The identifier of the question; nil if the text is not one.
        public var question: QuestionID? { QuestionID(text.string) }

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .required(
                "question", \.text, .text(), "The identifier of the question.",
                example: .string(Examples.question.id.description)),
            .required("value", \.value, .flag, "Whether to proceed.", example: true),
            .optional(
                "reason", \.reason, .text(maximumBytes: 256),
                "The reason; sent with questionClosed."),
        ]

        /// Creates parameters with an empty identifier.
        public init() {}
    }

    /// The accepted answer.
    public struct Result: WireResult, Hashable {
        /// The sequence number of the last record that the answer caused.
        public var sequence: SequenceNumber

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("accepted", { _ in true }, .flag, "Always true; a refusal is an error."),
            .required(
                "seq", \.sequence, .sequence, "The sequence number of the record of the answer."),
        ])

        /// Creates a result.
        public init(sequence: SequenceNumber) {
            self.sequence = sequence
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "answer",
        summary: "Answer a question",
        description: """
            Any client with the role gate may answer, whichever agent is asked. The first answer wins; the \
            client that gave it may repeat it while the daemon runs. A login closes a login \
            question with true; if it is answered true without a login, the waiting calls proceed \
            and their work waits for a login.
            """,
        errors: [.unknownQuestion, .questionClosed, .notDurable],
        role: .gate, example: Result(sequence: 9))
}
