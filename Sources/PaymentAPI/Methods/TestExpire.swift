public import PaymentCore
import StrictJSON

/// `test.expire`: a subscription ends now.
public enum TestExpire: Method {
    /// Which subscription.
    public struct Params: Sendable, Hashable {
        /// The product.
        public var product: ProductIdentifier
    }

    /// The newest order of the subscription afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.expire",
        summary: "Expire a subscription now",
        description: """
            The account's subscription ends immediately and does not renew. Only for the sandbox.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The subscription of the account.")
        ],
        resultSchema: OrderResult.maybeSchema,
        errors: [
            .notSupportedByStore, .unknownProduct, .notLoggedIn, .noSuchOrder, .notDecidable,
            .notDurable,
        ],
        role: .admin,
        example: .init(
            params: ["product": "club.monthly"],
            result: OrderResult(order: Examples.subscriptionOrder)))

    private enum Place: Int, ParameterPlace {
        case product
    }

    /// Takes which subscription.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(product: arguments.requiredText(Place.product, in: bytes))
    }
}
