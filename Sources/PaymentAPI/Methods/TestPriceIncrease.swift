public import PaymentCore
import StrictJSON

/// `test.priceIncrease`: the price of a subscription is raised.
public enum TestPriceIncrease: Method {
    /// Which subscription.
    public struct Params: Sendable, Hashable {
        /// The product.
        public var product: ProductIdentifier
        /// The answer of the subscriber.
        public var answer: PriceIncreaseAnswer
    }

    /// The newest order of the subscription afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.priceIncrease",
        summary: "Raise the price of a subscription",
        description: """
            The answer is that of the subscriber: with consent the account's subscription renews \
            at the new price, with decline it does not renew, and while pending it ends with its \
            period. Only for the sandbox.
            """,
        parameters: [
            .required("product", .text(maximumBytes: nil), "The subscription of the account."),
            .required(
                "answer", .word(PriceIncreaseAnswer.allCases.map(\.wireWord)),
                "The answer of the subscriber."),
        ],
        resultSchema: OrderResult.maybeSchema,
        errors: [
            .notSupportedByStore, .unknownProduct, .notLoggedIn, .noSuchOrder, .notDecidable,
            .notDurable,
        ],
        role: .admin,
        example: .init(
            params: ["product": "club.monthly", "answer": "consent"],
            result: OrderResult(order: Examples.subscriptionOrder)))

    private enum Place: Int, ParameterPlace {
        case product, answer
    }

    /// Takes which subscription.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        guard let answer: PriceIncreaseAnswer = arguments.word(Place.answer, in: bytes) else {
            preconditionFailure("a required answer was checked but cannot be read")
        }
        return Params(
            product: arguments.requiredText(Place.product, in: bytes), answer: answer)
    }
}
