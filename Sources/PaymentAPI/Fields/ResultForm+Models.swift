import PaymentCore
import StrictJSON

/// The forms that several results share. The parts of frequent events are also written by hand for
/// speed; a test compares the bytes.

extension Price {
    static let form = ResultForm<Price>.component(
        "Price",
        [
            .required(
                "value", \.amount.text,
                ResultForm(["type": "number", "minimum": 0]) {
                    $1.bytes.append(contentsOf: $0.utf8)
                }, "The amount in major units, as a number with the same digits."),
            .required(
                "amount", \.amount.text, digits,
                "The amount as text, for programs that must not round."),
            .required("currencyCode", \.currencyCode, .text, "ISO 4217."),
        ], byHand: { $1.price($0) })

    /// The form of a price without `value`, which some programs would round.
    static let charged = ResultForm<Price>.component(
        "Charge",
        [
            .required(
                "amount", \.amount.text, digits,
                "The amount in major units, with the digits of the currency; 0.00 if it was free."),
            .required("currencyCode", \.currencyCode, .text, "ISO 4217."),
        ])

    private static let digits = ResultForm<String>(
        ["type": "string", "pattern": "^(0|[1-9][0-9]*)([.][0-9]+)?$"]
    ) { $1.string($0) }
}

extension Charge {
    /// The members of a charge, for all results with an order.
    ///
    /// - Parameter charge: Reads the charge; nil before the store has charged.
    /// - Returns: The members, each absent without a value.
    static func members<Root>(
        _ charge: @escaping @Sendable (Root) -> Charge?
    ) -> [Member<Root>] {
        [
            .optional(
                "charged", { charge($0)?.price }, Price.charged,
                "The amount that the store charged; absent until it did."),
            .optional(
                "offer", { charge($0)?.offer }, .word,
                "The reason why the charge is not the price of the product; absent where it is."),
            .optional(
                "effectiveAt", { charge($0)?.effectiveAt }, .time,
                "The time at which a scheduled change of subscription takes effect."),
            .optional(
                "revocation", { charge($0)?.revocation }, OrderRevocation.form,
                """
                Present once the store has refunded or revoked the purchase: do not unlock what was \
                bought.
                """),
        ]
    }
}

extension OrderRevocation {
    static let form = ResultForm<OrderRevocation>.component(
        "Revocation",
        [
            .required("at", \.at, .time, "When."),
            .required("reason", \.reason, .text, "The reason, such as refund."),
        ])
}

extension SubscriptionPeriod {
    static let form = ResultForm<SubscriptionPeriod>.component(
        "Period",
        [
            .required("unit", \.unit, .word, "The unit."),
            .required(
                "numberOfUnits", \.numberOfUnits,
                ResultForm(["type": "integer", "minimum": 1]) { $1.integer($0) },
                "The number of units."),
        ], byHand: { $1.period($0) })
}

extension PricePeriod {
    static let form = ResultForm<PricePeriod>.component(
        "Offer",
        [
            .required(
                "price", \.price, Price.form, "The amount that is charged; 0 is a free trial."),
            .required("period", \.period, SubscriptionPeriod.form, "The length of the offer."),
        ], byHand: { $1.offer($0) })
}

extension Product {
    static let form = ResultForm<Product>.component(
        "Product",
        [
            .required(
                "productIdentifier", \.productIdentifier, .opaque,
                "The identifier by which clients buy the product."),
            .required("type", \.type, .word, "The type of the product."),
            .required("localizedTitle", \.localizedTitle, .text, "The localized name."),
            .required(
                "localizedDescription", \.localizedDescription, .text,
                "The localized description."),
            .optional("iconUrl", \.iconURL, .text, "The address of a picture."),
            .required(
                "price", \.price, Price.form,
                "The price; of a subscription, the price of one period."),
            .optional(
                "subscriptionPeriod", \.subscriptionPeriod, SubscriptionPeriod.form,
                "Only for subscriptions."),
            .optional(
                "subscriptionGroupIdentifier", \.subscriptionGroupIdentifier, .opaque,
                "Only for subscriptions."),
            .optional(
                "introductoryPrice", \.introductoryPrice, PricePeriod.form,
                "The introductory offer, for new subscribers."),
            .optional(
                "introductoryOfferEligible", \.introductoryOfferEligible, .flag,
                """
                Whether the account in session is eligible for the introductory offer: once per \
                account and subscription group.
                """),
            .optional(
                "discountedPrice", \.discountedPrice, PricePeriod.form, "A promotional offer."),
        ], byHand: { $1.product($0) })
}

extension CountryCode {
    /// A storefront: a country and an opaque identifier.
    static let storefront = ResultForm<CountryCode>.component(
        "Storefront",
        [
            .required(
                "id", { "sf-" + $0.description.lowercased() }, .text,
                "An opaque identifier; compare countryCode instead."),
            .required(
                "countryCode", \.self, .country, "The country, as an ISO 3166-1 alpha-2 code."),
        ], byHand: { $1.storefront($0) })
}

extension Origin {
    static let form = ResultForm<Origin>.component(
        "Origin",
        [
            .required("uid", \.uid, .count, "The user id of the peer, as the kernel reports it."),
            .optional("client", \.client, .opaque, "The name that the client gave with hello."),
        ], byHand: { $1.origin($0) })
}

extension Payment {
    static let form = ResultForm<Payment>.component(
        "Payment",
        [
            .required(
                "product", \.product.product, Product.form, "The product, as it was sold."),
            .optional(
                "appAccountToken", \.appAccountToken, .opaque,
                "The application's own account identifier, as it was sent with the purchase."),
        ])
}

extension Transactions.Result.Entry {
    /// A transaction, with members in the order of the contract.
    static let form = ResultForm<Self>.component(
        "Transaction",
        [
            .required(
                "id", \.transaction.id, .identifier,
                "The identifier of the transaction; never changes and is never reused."),
            .optional(
                "transactionIdentifier", \.transaction.order, .identifier,
                "The identifier of the order at the store; absent until there is one."),
            .optional(
                "originalTransactionIdentifier", \.transaction.originalOrder, .identifier,
                "The identifier of the first order of its chain of renewals."),
            .required(
                "payment", \.transaction.payment, Payment.form,
                "The product that was asked for, with the token that was sent."),
            .required("transactionState", \.transaction.state.phase, .word, "The state."),
            .required(
                "storefront", \.transaction.country, CountryCode.storefront,
                "The storefront in which it is charged, or was charged."),
            .optional(
                "error", \.failure?.kind, .errorObject,
                """
                An object with one member, whose name is the error and whose value is empty; only \
                in state failed.
                """),
            .required(
                "revision", \.transaction.revision, .count,
                "The revision; grows with each record of this transaction."),
            .required(
                "createdAt", \.transaction.createdAt, .time, "The time at which it was accepted."),
            .required(
                "updatedAt", \.transaction.updatedAt, .time, "The time of its newest record."),
        ], stateMembers, Charge.members(\.transaction.charge),
        [
            .optional(
                "by", { $0.finish == nil ? $0.transaction.origin : $0.finish?.origin }, Origin.form,
                "The client that caused its newest record; absent if no client did."),
            .optional("finishedAt", \.finish?.time, .time, "The time at which it left the queue."),
            .optional(
                "removalReason", \.finish?.reason, .word,
                "The reason for which it left the queue."),
        ], byHand: { $1.transaction($0.transaction, waitingFor: $0.waitingFor, finish: $0.finish) })

    private static let stateMembers: [Member<Self>] = [
        .optional(
            "waitingFor", { $0.transaction.state.phase == .purchasing ? $0.waitingFor : nil },
            .word, "What it waits for; only in state purchasing."),
        .optional(
            "completing", { $0.transaction.state == .completing ? true : nil }, .flag,
            "Whether finish was accepted and the store has not confirmed the completion yet."),
        .optional("failureReason", \.failure?.reason, .text, "The reason behind the error."),
        .required(
            "reason", \.transaction.reason, .word, "The origin of the transaction."),
    ]

    private var failure: PaymentFailure? {
        if case .failed(let failure) = transaction.state { failure } else { nil }
    }
}

extension ResultForm where Value: WireWord {
    /// An error in the form of the SDK: an object with one empty member, named after the error.
    static var errorObject: Self {
        Self(["type": "object", "minProperties": 1, "maxProperties": 1]) { error, writer in
            writer.beginObject()
            writer.name(error.rawValue)
            writer.raw("{}")
            writer.endObject()
        }
    }
}
