public import PaymentCore
import StrictJSON

/// `test.buy`: a purchase made elsewhere.
public enum TestBuy: Method {
    /// The product that is bought.
    public struct Params: Sendable, Hashable {
        /// The product.
        public var product: ProductIdentifier
        /// The application's own account.
        public var appAccountToken: OpaqueText?
    }

    /// The order.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.buy",
        summary: "Buy a product as if on another device",
        description: """
            The order is paid as if the account in session had bought it on another device; \
            observers get a transaction with reason external. Only for the sandbox.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The identifier of the product."),
            .optional(
                "appAccountToken", .text(maximumBytes: Limits().appAccountTokenBytes),
                "The application's own account identifier."),
        ],
        resultSchema: OrderResult.schema,
        errors: [.notSupportedByStore, .unknownProduct, .notLoggedIn, .notDurable],
        role: .admin,
        example: .init(
            params: ["product": "coins.100"], result: OrderResult(order: Examples.order)))

    private enum Place: Int, ParameterPlace {
        case product, appAccountToken
    }

    /// Takes what is bought.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(
            product: arguments.requiredText(Place.product, in: bytes),
            appAccountToken: arguments.text(Place.appAccountToken, in: bytes))
    }
}
