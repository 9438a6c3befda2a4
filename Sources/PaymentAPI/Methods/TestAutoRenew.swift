public import PaymentCore
import StrictJSON

/// `test.autoRenew`: whether a subscription renews itself.
public enum TestAutoRenew: Method {
    /// Which subscription.
    public struct Params: Sendable, Hashable {
        /// The product.
        public var product: ProductIdentifier
        /// Whether it renews itself.
        public var isEnabled: Bool
    }

    /// The newest order of the subscription afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.autoRenew",
        summary: "Turn auto-renewal of a subscription on or off",
        description: """
            With enabled false, the account's subscription ends with its current period. Only for \
            the sandbox.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The subscription of the account."),
            .required("enabled", .flag, "Whether it renews automatically."),
        ],
        resultSchema: OrderResult.maybeSchema,
        errors: [
            .notSupportedByStore, .unknownProduct, .notLoggedIn, .noSuchOrder, .notDecidable,
            .notDurable,
        ],
        role: .admin,
        example: .init(
            params: ["product": "club.monthly", "enabled": false],
            result: OrderResult(order: Examples.subscriptionOrder)))

    private enum Place: Int, ParameterPlace {
        case product, enabled
    }

    /// Takes which subscription.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let isEnabled = arguments.flag(Place.enabled) else {
            preconditionFailure("a required flag was checked but cannot be read")
        }
        return Params(
            product: arguments.requiredText(Place.product, in: bytes), isEnabled: isEnabled)
    }
}
