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

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "questions",
        summary: "List what waits for an answer",
        description: """
            Every question that is open and that the account in session may see. Answer one with \
            answer; the first answer wins.
            """,
        resultSchema: Schema.object([
            Schema.required("questions", Schema.list(of: question), "In the order of asking.")
        ]),
        role: .observe,
        example: .init(
            result: Result(entries: [
                .init(question: Examples.question, deadline: Examples.purchased.updatedAt)
            ])))

    private static let question = Schema.object([
        Schema.required("question", Schema.identifier, "Names the question."),
        Schema.required(
            "type", Schema.words(Question.Kind.allCases.map(\.wireWord)), "What is asked."),
        Schema.optional("transaction", Schema.identifier, "What waits for the answer."),
        Schema.optional(
            "cause", Schema.words(Question.Cause.allCases.map(\.wireWord)), "Why it is asked."),
        Schema.optional("product", Schema.reference("Product"), "What would be charged for."),
        Schema.optional("price", Schema.reference("Price"), "What would be charged."),
        Schema.optional("storefront", Schema.reference("Storefront"), "Where."),
        Schema.required("fallback", Schema.flag, "What silence means."),
        Schema.optional(
            "deadline", Schema.time, "When silence counts; not before somebody was asked."),
        Schema.required("openedAt", Schema.time, "When it was asked first."),
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
