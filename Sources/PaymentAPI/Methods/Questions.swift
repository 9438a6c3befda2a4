public import PaymentCore
import StrictJSON

/// `questions`: list the open questions.
public enum Questions: Method {
    /// The method has no parameters.
    public typealias Params = NoParameters

    /// The open questions.
    public struct Result: WireResult, Hashable {
        /// A question and its deadline.
        public struct Entry: Sendable, Hashable {
            /// The question.
            public var question: Question
            /// The time at which the fallback applies; nil until the question has reached an agent.
            public var deadline: Timestamp?

            /// Creates an entry.
            public init(question: Question, deadline: Timestamp?) {
                self.question = question
                self.deadline = deadline
            }
        }

        /// The questions, oldest first.
        public var entries: [Entry]

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required(
                "questions", \.entries, .list(of: question), "The questions, oldest first.")
        ])

        /// Creates a result.
        public init(entries: [Entry]) {
            self.entries = entries
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "questions",
        summary: "List open questions",
        description: """
            Lists every open question that is visible to the account in session. Use answer to \
            answer one; the first answer wins.
            """,
        role: .observe,
        example: Result(entries: [
            .init(question: Examples.question, deadline: Examples.purchased.updatedAt)
        ]))

    private static let question = ResultForm<Result.Entry>.object([
        .required("question", \.question.id, .identifier, "The identifier of the question."),
        .required("type", \.question.kind, .word, "The type of question."),
        .optional(
            "transaction", \.question.transaction, .identifier,
            "The transaction that waits for the answer."),
        .optional("cause", \.question.cause, .word, "The cause of the question."),
        .optional(
            "product", \.question.product?.product, Product.form,
            "The product that would be charged."),
        .optional(
            "price", \.question.product?.product.expectedPrice, Price.form,
            "The price that would be charged."),
        .optional("storefront", \.question.country, CountryCode.storefront, "Where."),
        .required(
            "fallback", \.question.fallback, .flag,
            "The answer that applies if none is given in time."),
        .optional(
            "deadline", \.deadline, .time,
            """
            The time at which the fallback applies; null until the question has reached an agent.
            """),
        .required(
            "openedAt", \.question.openedAt, .time, "The time at which the question was opened."),
    ])
}
