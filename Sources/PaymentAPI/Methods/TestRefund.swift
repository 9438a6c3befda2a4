import PaymentCore
import StrictJSON

/// `test.refund`: the store takes a purchase back.
public enum TestRefund: Method {
    /// Which order.
    public typealias Params = OrderNaming

    /// The order afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.refund",
        summary: "Refund an order of the sandbox",
        description: """
            The order is refunded immediately and observers get entitlementsRevoked. A \
            subscription ends. Only for the sandbox.
            """,
        parameters: OrderNaming.parameters,
        resultSchema: OrderResult.schema,
        errors: [.notSupportedByStore, .noSuchOrder, .notDecidable, .notDurable],
        role: .admin,
        example: .init(
            params: ["transaction": .string(Examples.transactionID.description)],
            result: OrderResult(order: Examples.refundedOrder)))

    /// Takes which order.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> OrderNaming {
        try OrderNaming(arguments, in: bytes)
    }
}
