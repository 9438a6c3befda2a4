import PaymentCore
import StrictJSON

/// `test.refund`: the store takes a purchase back.
public enum TestRefund: Method {
    /// Which order.
    public typealias Params = OrderNaming

    /// The order afterwards.
    public typealias Result = OrderResult

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.refund",
        summary: "Let the sandbox take a purchase back",
        description: """
            Always granted, at once: the order is refunded and observers hear \
            entitlementsRevoked. A subscription ends. Only a sandbox does this.
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
