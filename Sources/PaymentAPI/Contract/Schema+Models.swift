import PaymentCore
import SandboxControl
import StrictJSON

extension Schema {
    /// The schemas that several methods share, with their names.
    static let components: [(name: String, schema: JSONValue)] = [
        component(Transactions.Result.Entry.form), component(Payment.form),
        component(Product.form), component(Price.form), component(SubscriptionPeriod.form),
        component(PricePeriod.form), component(CountryCode.storefront), component(Origin.form),
        ("Event", event), component(TestGet.Result.form), component(StoreOrder.form),
        component(RestoreRecord.form), component(TestClockGet.Result.form),
        component(Price.charged), component(OrderRevocation.form),
    ]

    private static func component<Value>(
        _ form: ResultForm<Value>
    ) -> (name: String, schema: JSONValue) {
        guard let name = form.component else {
            preconditionFailure("a schema among the components has no name")
        }
        return (name, form.definition)
    }

    /// The schema of events. All events have the required members; the rest depends on the kind.
    private static let event = object(
        [
            required("seq", sequence, "The sequence number of its record in the log."),
            required(
                "kind", words(EventKind.words),
                "The kind of event; it decides which further members are present."),
            required("time", time, "The time of its record."),
            optional(
                "redelivery", flag,
                "Whether this is a redelivery: nothing changed, unfinished transactions are sent again."
            ),
            optional(
                "transactions", list(of: Transactions.Result.Entry.form.schema),
                "The transactions, as full snapshots; of removed transactions the last snapshot."),
            optional(
                "reason",
                words(
                    RemovalReason.allCases.map(\.rawValue)
                        + QuestionClosing.Reason.allCases.map(\.rawValue).filter {
                            $0 != "withdrawn"
                        }),
                """
                The reason for which transactions left the queue, or a question ended without an \
                answer.
                """),
            optional(
                "by", Origin.form.schema,
                "The client that caused it; absent if no client did."),
            optional("trace", text, "The trace context of the call that caused it."),
            optional(
                "from", nullable(CountryCode.storefront.schema),
                "The storefront before the change; null if no account was in session."),
            optional(
                "to", nullable(CountryCode.storefront.schema),
                "The storefront after the change; null if no account is in session."),
            optional(
                "account", nullable(text),
                "The account that is now in session, or whose session the store has ended."),
            optional("restore", identifier, "The restore that ended."),
            optional("count", count, "The number of transactions that the restore returned."),
            optional(
                "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
                """
                An object with one member, whose name is the reason for which the restore failed \
                and whose value is empty.
                """),
            optional("products", list(of: text), "The products whose entitlements were revoked."),
            optional("orders", list(of: identifier), "The orders that were refunded or revoked."),
            optional(
                "revision", count,
                "The revision of the store's catalogue; grows with each change."),
        ] + questionMembers)

    /// The members of question events.
    private static let questionMembers = [
        optional("question", identifier, "The identifier of the question."),
        optional("type", words(Question.Kind.allCases.map(\.rawValue)), "The type of question."),
        optional("transaction", identifier, "The transaction that waits for the answer."),
        optional(
            "cause",
            words(
                Question.Cause.allCases.map(\.rawValue) + SessionCause.allCases.map(\.rawValue)),
            "The cause of the question, or of a storefront change that no client requested."),
        optional("product", Product.form.schema, "The product that would be bought."),
        optional("price", Price.form.schema, "The price that would be charged."),
        optional("storefront", CountryCode.storefront.schema, "Where."),
        optional("fallback", flag, "The answer that applies if none is given in time."),
        optional(
            "deadline", nullable(time),
            """
            The time at which the fallback applies; for the agent that is asked, the end of its \
            turn; null until the question has reached an agent.
            """),
        optional("value", nullable(flag), "The answer; null if the question ended without one."),
        optional("note", text, "The reason that was given with the answer."),
    ]
}
