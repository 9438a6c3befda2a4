import PaymentCore
import StrictJSON

/// `test.deleteOrder`: the store forgets an order.
public enum TestDeleteOrder: Method {
    /// Which order.
    public typealias Params = OrderNaming

    /// The order afterwards.
    public typealias Result = OrderResult

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.deleteOrder",
        summary: "Let the sandbox forget an order",
        description: """
            The order goes with its renewals, as if it had never been; what the queue was told \
            of it stays. Only a sandbox does this.
            """,
        parameters: OrderNaming.parameters,
        resultSchema: OrderResult.maybeSchema,
        errors: [.notSupportedByStore, .noSuchOrder, .notDurable],
        role: .admin,
        example: .init(
            params: ["transaction": .string(Examples.transactionID.description)],
            result: OrderResult(order: Examples.order)))

    /// Takes which order.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> OrderNaming {
        try OrderNaming(arguments, in: bytes)
    }
}
