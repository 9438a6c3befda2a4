public import PaymentCore
public import SandboxControl
import StrictJSON

/// A subscription of the account in session, named by its product.
public struct SubscriptionNaming: ParameterRecord {
    /// The product.
    public var product: ProductIdentifier = ""

    /// The parameters.
    public static let parameters: [Parameter<SubscriptionNaming>] = [subscription(\.product)]

    /// Names no product.
    public init() {}
}

/// `test.renew`: a subscription renews now.
public enum TestRenew: ControlMethod {
    /// The subscription.
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

    /// Renews the subscription.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.renew(params.product))
    }
}

/// `test.expire`: a subscription ends now.
public enum TestExpire: ControlMethod {
    /// The subscription.
    public typealias Params = SubscriptionNaming

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.expire",
        summary: "Expire a subscription now",
        description: "The account's subscription ends immediately and does not renew.",
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Ends the subscription.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.expire(params.product))
    }
}

/// `test.autoRenew`: whether a subscription renews itself.
public enum TestAutoRenew: ControlMethod {
    /// A subscription and how it goes on.
    public struct Params: ParameterRecord {
        /// The product.
        public var product: ProductIdentifier = ""
        /// Whether the subscription renews itself.
        public var isEnabled = false

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            subscription(\.product),
            .required(
                "enabled", \.isEnabled, .flag, "Whether it renews automatically.", example: false),
        ]

        /// Names no product.
        public init() {}
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        sandbox: Self.self, name: "test.autoRenew",
        summary: "Turn auto-renewal of a subscription on or off",
        description: "With enabled false, the account's subscription ends with its current period.",
        errors: subscriptionErrors, example: OrderResult(order: Examples.subscriptionOrder))

    /// Turns auto-renewal on or off.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.autoRenew(params.product, params.isEnabled))
    }
}

/// `test.priceIncrease`: the price of a subscription is raised.
public enum TestPriceIncrease: ControlMethod {
    /// A subscription and the answer of its subscriber.
    public struct Params: ParameterRecord {
        /// The product.
        public var product: ProductIdentifier = ""
        /// The answer of the subscriber.
        public var answer = PriceIncreaseAnswer.pending

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            subscription(\.product),
            .required(
                "answer", \.answer, .word, "The answer of the subscriber.", example: "consent"),
        ]

        /// Names no product.
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

    /// Raises the price.
    public static func request(_ params: Params) -> ControlRequest {
        .run(.priceIncrease(params.product, params.answer))
    }
}

/// The parameter that names a subscription.
private func subscription<Params>(
    _ property: Parameter<Params>.Property<ProductIdentifier>
) -> Parameter<Params> {
    .required(
        "product", property, .text(), "The subscription of the account.", example: "club.monthly")
}

/// The errors of every control of a subscription.
private let subscriptionErrors: [ErrorCode] = [
    .unknownProduct, .notLoggedIn, .noSuchOrder, .notDecidable, .notDurable,
]
