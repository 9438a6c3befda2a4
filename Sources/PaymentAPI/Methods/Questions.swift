public import PaymentCore
public import StrictJSON

/// `questions`: what the queue waits to be answered.
public enum Questions: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// The questions that are open.
    public struct Result: WireResult, Hashable {
        /// A question and until when it can be answered.
        public struct Entry: Sendable, Hashable {
            /// The question.
            public var question: Question
            /// When silence counts as an answer; nil until somebody was asked who may answer.
            public var deadline: Timestamp?

            /// Makes an entry.
            public init(question: Question, deadline: Timestamp?) {
                self.question = question
                self.deadline = deadline
            }
        }

        /// The questions in the order of asking.
        public var entries: [Entry]

        /// Makes a list.
        public init(entries: [Entry]) {
            self.entries = entries
        }

        /// Appends the list.
        public func write(into writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("questions")
            writer.beginArray()
            for entry in entries {
                writer.element()
                writer.listedQuestion(entry)
            }
            writer.endArray()
            writer.endObject()
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "questions",
        summary: "List open questions",
        description: """
            Lists every open question that is visible to the account in session. Use answer to \
            answer one; the first answer wins.
            """,
        resultSchema: Schema.object([
            Schema.required("questions", Schema.list(of: question), "The questions, oldest first.")
        ]),
        role: .observe,
        example: .init(
            result: Result(entries: [
                .init(question: Examples.question, deadline: Examples.purchased.updatedAt)
            ])))

    private static let question = Schema.object([
        Schema.required("question", Schema.identifier, "The identifier of the question."),
        Schema.required(
            "type", Schema.words(Question.Kind.allCases.map(\.wireWord)), "The type of question."),
        Schema.optional(
            "transaction", Schema.identifier,
            """
            The transaction that waits for the answer.
            """),
        Schema.optional(
            "cause", Schema.words(Question.Cause.allCases.map(\.wireWord)),
            """
            The cause of the question.
            """),
        Schema.optional(
            "product", Schema.reference("Product"),
            """
            The product that would be charged.
            """),
        Schema.optional("price", Schema.reference("Price"), "The price that would be charged."),
        Schema.optional("storefront", Schema.reference("Storefront"), "Where."),
        Schema.required(
            "fallback", Schema.flag,
            """
            The answer that applies if none is given in time.
            """),
        Schema.optional(
            "deadline", Schema.time,
            """
            The time at which the fallback applies; null until the question has reached an agent.
            """),
        Schema.required("openedAt", Schema.time, "The time at which the question was opened."),
    ])
}

extension JSONWriter {
    fileprivate mutating func listedQuestion(_ entry: Questions.Result.Entry) {
        let question = entry.question
        beginObject()
        name("question")
        identifier(question.id)
        questionDetails(question)
        if let deadline = entry.deadline {
            name("deadline")
            time(deadline)
        }
        name("openedAt")
        time(question.openedAt)
        endObject()
    }
}
