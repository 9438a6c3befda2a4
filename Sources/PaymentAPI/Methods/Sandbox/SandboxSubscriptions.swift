public import PaymentCore
public import SandboxControl
import StrictJSON

/// A reference to a subscription of the account in session.
public struct SubscriptionNaming: ParameterRecord {
    /// The identifier of the product.
    public var product: ProductIdentifier = ""

    /// The parameters.
    public static let parameters: [Parameter<SubscriptionNaming>] = [subscription(\.product)]

    /// Creates a reference with an empty product identifier.
    public init() {}
}

/// `test.renew`: renew a subscription now.
public enum TestRenew: ControlMethod {
    /// The reference to the subscription.
    public typealias Params = SubscriptionNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.renew",
        summary: "Renew a subscription now",
        description: """
            Ends the current period of the account's subscription and starts the next; \
            auto-renewal is on from then. Observers get the renewal as a transaction.
            """,
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Requests the renewal.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.renew(params.product))
    }
}

/// `test.expire`: expire a subscription now.
public enum TestExpire: ControlMethod {
    /// The reference to the subscription.
    public typealias Params = SubscriptionNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.expire",
        summary: "Expire a subscription now",
        description: "The account's subscription ends immediately and does not renew.",
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Requests the expiry.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.expire(params.product))
    }
}

/// `test.autoRenew`: turn the automatic renewal of a subscription on or off.
public enum TestAutoRenew: ControlMethod {
    /// A subscription and its new setting.
    public struct Params: ParameterRecord {
        /// The identifier of the product.
        public var product: ProductIdentifier = ""
        /// True to renew automatically.
        public var isEnabled = false

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            subscription(\.product),
            .required(
                "enabled", \.isEnabled, .flag, "Whether it renews automatically.", example: false),
        ]

        /// Creates parameters with an empty product identifier.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.autoRenew",
        summary: "Turn auto-renewal of a subscription on or off",
        description: "With enabled false, the account's subscription ends with its current period.",
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Requests the change.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.autoRenew(params.product, params.isEnabled))
    }
}

/// `test.priceIncrease`: raise the price of a subscription.
public enum TestPriceIncrease: ControlMethod {
    /// A subscription and its subscriber's answer.
    public struct Params: ParameterRecord {
        /// The identifier of the product.
        public var product: ProductIdentifier = ""
        /// The subscriber's answer.
        public var answer = PriceIncreaseAnswer.pending

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            subscription(\.product),
            .required(
                "answer", \.answer, .word, "The answer of the subscriber.", example: "consent"),
        ]

        /// Creates parameters with an empty product identifier.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.priceIncrease",
        summary: "Raise the price of a subscription",
        description: """
            The answer is that of the subscriber: with consent the account's subscription renews \
            at the new price, with decline it does not renew, and while pending it ends with its \
            period.
            """,
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Requests the price increase.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.priceIncrease(params.product, params.answer))
    }
}

/// The parameter with the product of a subscription.
private func subscription<Params>(
    _ property: Parameter<Params>.Property<ProductIdentifier>
) -> Parameter<Params> {
    .required(
        "product", property, .text(), "The subscription of the account.", example: "club.monthly")
}

/// The errors of all controls of subscriptions.
private let subscriptionErrors: [ErrorCode] = [
    .unknownProduct, .notLoggedIn, .noSuchOrder, .notDecidable, .notDurable,
]
