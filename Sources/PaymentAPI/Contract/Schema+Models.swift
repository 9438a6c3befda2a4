import PaymentCore
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
            required("id", identifier, "Names the transaction for ever."),
            optional(
                "transactionIdentifier", identifier, "The order at the store, once there is one."),
            optional("originalTransactionIdentifier", identifier, "The first order of its chain."),
            required("payment", reference("Payment"), "What was asked for."),
            required(
                "transactionState", words(TransactionState.Phase.allCases.map(\.wireWord)),
                "Where it stands."),
            required("storefront", reference("Storefront"), "Where it is charged, or was."),
            optional(
                "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
                "One case name with an empty object; only while failed."),
            required("revision", count, "Grows with each record of this transaction."),
            required("createdAt", time, "When it was accepted."),
            required("updatedAt", time, "When its last record was made."),
            optional(
                "waitingFor", words(WaitingFor.allCases.map(\.wireWord)),
                "What it waits for; only while purchasing."),
            optional("completing", flag, "Finished, the store not yet told."),
            optional("failureReason", text, "What is behind the error."),
            required(
                "reason", words(Transaction.Reason.allCases.map(\.wireWord)),
                "Why there is a transaction at all."),
        ] + charge + [
            optional("by", reference("Origin"), "Who caused its last record, if a client did."),
            optional("finishedAt", time, "When it left the queue."),
            optional(
                "removalReason", words(RemovalReason.allCases.map(\.wireWord)),
                "Why it left the queue."),
        ])

    /// Members that tell what the store took: part of everything that names an order.
    static let charge = [
        optional("charged", reference("Charge"), "What the store took; absent until it did."),
        optional(
            "offer", words(PurchaseOffer.allCases.map(\.wireWord)),
            "Why that is not the price of the product, where it is not."),
        optional("effectiveAt", time, "When a scheduled change of subscription takes effect."),
        optional(
            "revocation", reference("Revocation"),
            "The store took it back: what was bought must not be unlocked any more."),
    ]

    private static let chargedPrice = object([
        required(
            "amount", ["type": "string", "pattern": "^(0|[1-9][0-9]*)([.][0-9]+)?$"],
            "Major units, with the digits of the currency; 0.00 for what was free."),
        required("currencyCode", text, "ISO 4217."),
    ])

    private static let revocation = object([
        required("at", time, "When."),
        required("reason", text, "Why, such as refund."),
    ])

    private static let payment = object([
        required("product", reference("Product"), "The product as it was sold."),
        optional("appAccountToken", text, "The application's own account."),
    ])

    private static let product = object([
        required("productIdentifier", text, "What clients buy by."),
        required("type", words(Product.Kind.allCases.map(\.wireWord)), "How it is consumed."),
        required("localizedTitle", text, "The name to show."),
        required("localizedDescription", text, "The description to show."),
        optional("iconUrl", text, "Where a picture is."),
        required("price", reference("Price"), "The price, or the charge of one period."),
        optional("subscriptionPeriod", reference("Period"), "Only on subscriptions."),
        optional("subscriptionGroupIdentifier", text, "Only on subscriptions."),
        optional("introductoryPrice", reference("Offer"), "The offer for new subscribers."),
        optional(
            "introductoryOfferEligible", flag,
            "Whether the account in session gets it: once per account and subscription group."),
        optional("discountedPrice", reference("Offer"), "A promotional offer."),
    ])

    private static let price = object([
        required("value", ["type": "number", "minimum": 0], "Major units, digit by digit."),
        required(
            "amount", ["type": "string", "pattern": "^(0|[1-9][0-9]*)([.][0-9]+)?$"],
            "The same digits as text, for programs that must not round."),
        required("currencyCode", text, "ISO 4217."),
    ])

    private static let period = object([
        required("unit", words(SubscriptionPeriod.Unit.allCases.map(\.wireWord)), "The unit."),
        required("numberOfUnits", ["type": "integer", "minimum": 1], "How many of them."),
    ])

    private static let offer = object([
        required("price", reference("Price"), "What is charged; 0 is a free trial."),
        required("period", reference("Period"), "For how long."),
    ])

    private static let storefront = object([
        required("id", text, "Opaque; compare the country."),
        required(
            "countryCode", ["type": "string", "pattern": "^[A-Z]{2}$"], "ISO 3166-1 alpha-2."),
    ])

    private static let origin = object([
        required("uid", count, "The user id that the kernel reported."),
        optional("client", text, "The name that the client gave with hello."),
    ])

    /// The members that every event has; the rest depends on its kind.
    private static let event = object(
        [
            required("seq", sequence, "The place of its record in the log."),
            required("kind", words(EventKind.words), "Which further members it has."),
            required("time", time, "When its record was made."),
            optional("redelivery", flag, "Nothing changed: what is unfinished is shown again."),
            optional(
                "transactions", list(of: reference("Transaction")),
                "Full snapshots; of removed ones the last."),
            optional(
                "reason",
                words(
                    RemovalReason.allCases.map(\.wireWord)
                        + QuestionClosing.Reason.allCases.map(\.wireWord).filter {
                            $0 != "withdrawn"
                        }),
                "Why transactions left the queue, or a question ended unanswered."),
            optional("by", reference("Origin"), "Who caused it, if a client did."),
            optional("trace", text, "The trace that came with the call that caused it."),
            optional("from", nullable(reference("Storefront")), "The storefront before."),
            optional("to", nullable(reference("Storefront")), "The storefront now."),
            optional(
                "account", nullable(text),
                "The account now in session, or the one whose session the store has ended."),
            optional("restore", identifier, "The restore that ended."),
            optional("count", count, "How many transactions a restore gave back."),
            optional(
                "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
                "Why a restore failed: one case name with an empty object."),
            optional("products", list(of: text), "The products that were taken back."),
            optional("orders", list(of: identifier), "Their orders."),
            optional("revision", count, "Counts the catalogues of the store."),
        ] + questionMembers)

    /// The members of the events about a question.
    private static let questionMembers = [
        optional("question", identifier, "The question."),
        optional("type", words(Question.Kind.allCases.map(\.wireWord)), "What is asked."),
        optional("transaction", identifier, "The transaction that waits for the answer."),
        optional(
            "cause",
            words(
                Question.Cause.allCases.map(\.wireWord) + SessionCause.allCases.map(\.wireWord)),
            "Why it is asked, or why a storefront changed that no client asked to change."),
        optional("product", reference("Product"), "What would be bought."),
        optional("price", reference("Price"), "For how much."),
        optional("storefront", reference("Storefront"), "Where."),
        optional("fallback", flag, "What silence means."),
        optional(
            "deadline", nullable(time), "When silence answers; null until somebody was asked."),
        optional("value", nullable(flag), "What the question came to; null if to nothing."),
        optional("note", text, "What the one who answered said about it."),
    ]

    private static let order = object(
        [
            required("order", identifier, "The order."),
            optional("transaction", identifier, "The transaction that asked for it."),
            required("original", identifier, "The first order of its chain."),
            required("account", text, "Who pays."),
            required("product", text, "What was bought."),
            required(
                "price", reference("Price"), "What it costs there; each period, for a subscription."
            ),
        ] + charge + [
            required(
                "countryCode", ["type": "string", "pattern": "^[A-Z]{2}$"], "In which country."),
            optional("appAccountToken", text, "The application's own account."),
            required("state", words(StoreOrder.State.allCases.map(\.wireWord)), "Where it stands."),
            optional(
                "error", words(PaymentFailure.Kind.allCases.map(\.wireWord)),
                "How it failed, if it did."),
            optional("failureReason", text, "What is behind the error."),
            required("completed", flag, "Whether the store knows that the goods were delivered."),
            required("placedAt", time, "When it was placed."),
            optional("renewal", flag, "Whether it renews an order before it."),
            optional("expiresAt", time, "When it ends, for a subscription."),
            optional("revokedAt", time, "When it was taken back, if it was."),
        ])

    private static let restore = object([
        required("id", identifier, "Names the restore."),
        required("state", words(RestoreRecord.State.allCases.map(\.rawValue)), "Where it stands."),
        optional(
            "waitingFor", words(WaitingFor.allCases.map(\.wireWord)),
            "What it waits for; only while running."),
        optional("count", count, "How many transactions it gave back; only when completed."),
        optional(
            "error", ["type": "object", "minProperties": 1, "maxProperties": 1],
            "One case name with an empty object; only when failed."),
    ])

    private static let testClock = object([
        required("now", time, "What the sandbox's clock shows."),
        optional("nextEventAt", time, "When the next event is due, if any is."),
    ])
}
