import PaymentCore
import SandboxControl
import StrictJSON

extension Schema {
    /// The shapes that several methods share, by name.
    static let components: [(name: String, schema: JSONValue)] = [
        ("Transaction", transaction), ("Payment", payment), ("Product", product),
        ("Price", price), ("Period", period), ("Offer", offer), ("Storefront", storefront),
        ("Origin", origin), ("Event", event), ("TestSettings", testSettings), ("Order", order),
        ("Restore", restore), ("TestClock", testClock), ("Charge", chargedPrice),
        ("Revocation", revocation),
    ]

    private static let transaction = object(
        [
            required(
                "id", identifier,
                """
                The identifier of the transaction; never changes and is never reused.
                """),
            optional(
                "transactionIdentifier", identifier,
                """
                The identifier of the order at the store; absent until there is one.
                """),
            optional(
                "originalTransactionIdentifier", identifier,
                """
                The identifier of the first order of its chain of renewals.
                """),
            required(
                "payment", reference("Payment"),
                """
                The product that was asked for, with the token that was sent.
                """),
            required(
                "transactionState", words(TransactionState.Phase.allCases.map(\.wireWord)),
                "The state."),
            required(
                "storefront", reference("Storefront"),
                """
                The storefront in which it is charged, or was charged.
                """),
            optional(
                "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
                """
                An object with one member, whose name is the error and whose value is empty; only \
                in state failed.
                """),
            required(
                "revision", count,
                """
                The revision; grows with each record of this transaction.
                """),
            required("createdAt", time, "The time at which it was accepted."),
            required("updatedAt", time, "The time of its newest record."),
            optional(
                "waitingFor", words(WaitingFor.allCases.map(\.wireWord)),
                "What it waits for; only in state purchasing."),
            optional(
                "completing", flag,
                """
                Whether finish was accepted and the store has not confirmed the completion yet.
                """),
            optional("failureReason", text, "The reason behind the error."),
            required(
                "reason", words(Transaction.Reason.allCases.map(\.wireWord)),
                "The origin of the transaction."),
        ] + charge + [
            optional(
                "by", reference("Origin"),
                """
                The client that caused its newest record; absent if no client did.
                """),
            optional("finishedAt", time, "The time at which it left the queue."),
            optional(
                "removalReason", words(RemovalReason.allCases.map(\.wireWord)),
                "The reason for which it left the queue."),
        ])

    /// Members that tell what the store took: part of everything that names an order.
    static let charge = [
        optional(
            "charged", reference("Charge"),
            """
            The amount that the store charged; absent until it did.
            """),
        optional(
            "offer", words(PurchaseOffer.allCases.map(\.wireWord)),
            "The reason why the charge is not the price of the product; absent where it is."),
        optional(
            "effectiveAt", time,
            """
            The time at which a scheduled change of subscription takes effect.
            """),
        optional(
            "revocation", reference("Revocation"),
            """
            Present once the store has refunded or revoked the purchase: do not unlock what was \
            bought.
            """),
    ]

    private static let chargedPrice = object([
        required(
            "amount", ["type": "string", "pattern": "^(0|[1-9][0-9]*)([.][0-9]+)?$"],
            "The amount in major units, with the digits of the currency; 0.00 if it was free."),
        required("currencyCode", text, "ISO 4217."),
    ])

    private static let revocation = object([
        required("at", time, "When."),
        required("reason", text, "The reason, such as refund."),
    ])

    private static let payment = object([
        required("product", reference("Product"), "The product, as it was sold."),
        optional(
            "appAccountToken", text,
            """
            The application's own account identifier, as it was sent with the purchase.
            """),
    ])

    private static let product = object([
        required("productIdentifier", text, "The identifier by which clients buy the product."),
        required("type", words(Product.Kind.allCases.map(\.wireWord)), "The type of the product."),
        required("localizedTitle", text, "The localized name."),
        required("localizedDescription", text, "The localized description."),
        optional("iconUrl", text, "The address of a picture."),
        required(
            "price", reference("Price"),
            """
            The price; of a subscription, the price of one period.
            """),
        optional("subscriptionPeriod", reference("Period"), "Only for subscriptions."),
        optional("subscriptionGroupIdentifier", text, "Only for subscriptions."),
        optional(
            "introductoryPrice", reference("Offer"),
            """
            The introductory offer, for new subscribers.
            """),
        optional(
            "introductoryOfferEligible", flag,
            """
            Whether the account in session is eligible for the introductory offer: once per \
            account and subscription group.
            """),
        optional("discountedPrice", reference("Offer"), "A promotional offer."),
    ])

    private static let price = object([
        required(
            "value", ["type": "number", "minimum": 0],
            """
            The amount in major units, as a number with the same digits.
            """),
        required(
            "amount", ["type": "string", "pattern": "^(0|[1-9][0-9]*)([.][0-9]+)?$"],
            "The amount as text, for programs that must not round."),
        required("currencyCode", text, "ISO 4217."),
    ])

    private static let period = object([
        required("unit", words(SubscriptionPeriod.Unit.allCases.map(\.wireWord)), "The unit."),
        required("numberOfUnits", ["type": "integer", "minimum": 1], "The number of units."),
    ])

    private static let offer = object([
        required("price", reference("Price"), "The amount that is charged; 0 is a free trial."),
        required("period", reference("Period"), "The length of the offer."),
    ])

    private static let storefront = object([
        required("id", text, "An opaque identifier; compare countryCode instead."),
        required(
            "countryCode", ["type": "string", "pattern": "^[A-Z]{2}$"],
            """
            The country, as an ISO 3166-1 alpha-2 code.
            """),
    ])

    private static let origin = object([
        required("uid", count, "The user id of the peer, as the kernel reports it."),
        optional("client", text, "The name that the client gave with hello."),
    ])

    /// The members that every event has; the rest depends on its kind.
    private static let event = object(
        [
            required("seq", sequence, "The sequence number of its record in the log."),
            required(
                "kind", words(EventKind.words),
                """
                The kind of event; it decides which further members are present.
                """),
            required("time", time, "The time of its record."),
            optional(
                "redelivery", flag,
                """
                Whether this is a redelivery: nothing changed, unfinished transactions are sent again.
                """),
            optional(
                "transactions", list(of: reference("Transaction")),
                "The transactions, as full snapshots; of removed transactions the last snapshot."),
            optional(
                "reason",
                words(
                    RemovalReason.allCases.map(\.wireWord)
                        + QuestionClosing.Reason.allCases.map(\.wireWord).filter {
                            $0 != "withdrawn"
                        }),
                """
                The reason for which transactions left the queue, or a question ended without an \
                answer.
                """),
            optional(
                "by", reference("Origin"),
                """
                The client that caused it; absent if no client did.
                """),
            optional("trace", text, "The trace context of the call that caused it."),
            optional(
                "from", nullable(reference("Storefront")),
                """
                The storefront before the change; null if no account was in session.
                """),
            optional(
                "to", nullable(reference("Storefront")),
                """
                The storefront after the change; null if no account is in session.
                """),
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
                """
                The revision of the store's catalogue; grows with each change.
                """),
        ] + questionMembers)

    /// The members of the events about a question.
    private static let questionMembers = [
        optional("question", identifier, "The identifier of the question."),
        optional("type", words(Question.Kind.allCases.map(\.wireWord)), "The type of question."),
        optional("transaction", identifier, "The transaction that waits for the answer."),
        optional(
            "cause",
            words(
                Question.Cause.allCases.map(\.wireWord) + SessionCause.allCases.map(\.wireWord)),
            "The cause of the question, or of a storefront change that no client requested."),
        optional("product", reference("Product"), "The product that would be bought."),
        optional("price", reference("Price"), "The price that would be charged."),
        optional("storefront", reference("Storefront"), "Where."),
        optional("fallback", flag, "The answer that applies if none is given in time."),
        optional(
            "deadline", nullable(time),
            """
            The time at which the fallback applies; null until the question has reached an agent.
            """),
        optional("value", nullable(flag), "The answer; null if the question ended without one."),
        optional("note", text, "The reason that was given with the answer."),
    ]

    private static let order = object(
        [
            required("order", identifier, "The identifier of the order."),
            optional("transaction", identifier, "The transaction that asked for the order."),
            required(
                "original", identifier,
                """
                The identifier of the first order of its chain of renewals.
                """),
            required("account", text, "The account that pays."),
            required("product", text, "The product that was bought."),
            required(
                "price", reference("Price"),
                """
                The price in that country; of a subscription, the price of one period.
                """
            ),
        ] + charge + [
            required(
                "countryCode", ["type": "string", "pattern": "^[A-Z]{2}$"],
                """
                The country of the order.
                """),
            optional(
                "appAccountToken", text,
                """
                The application's own account identifier, as it was sent with the purchase.
                """),
            required("state", words(StoreOrder.State.allCases.map(\.wireWord)), "The state."),
            optional(
                "error", words(PaymentFailure.Kind.allCases.map(\.wireWord)),
                "The error with which the order failed."),
            optional("failureReason", text, "The reason behind the error."),
            required(
                "completed", flag,
                """
                Whether the order was completed: the store knows that it was delivered.
                """),
            required("placedAt", time, "The time at which the order was placed."),
            optional("renewal", flag, "Whether the order renews an earlier one."),
            optional(
                "expiresAt", time,
                """
                The time at which the period ends; only for subscriptions.
                """),
            optional("revokedAt", time, "The time at which the order was refunded or revoked."),
        ])

    private static let restore = object([
        required("id", identifier, "The identifier of the restore."),
        required("state", words(RestoreState.allCases.map(\.rawValue)), "The state."),
        optional(
            "waitingFor", words(WaitingFor.allCases.map(\.wireWord)),
            "What it waits for; only in state running."),
        optional(
            "count", count,
            """
            The number of transactions that it returned; only in state completed.
            """),
        optional(
            "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
            """
            An object with one member, whose name is the error and whose value is empty; only in \
            state failed.
            """),
    ])

    private static let testClock = object([
        required("now", time, "The time on the sandbox's clock."),
        optional(
            "nextEventAt", time,
            """
            The time at which the next event is due; absent if none is.
            """),
    ])
}
