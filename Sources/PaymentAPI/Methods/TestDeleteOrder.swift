import PaymentCore
import StrictJSON

/// `test.deleteOrder`: the store forgets an order.
public enum TestDeleteOrder: Method {
    /// Which order.
    public typealias Params = OrderNaming

    /// The order afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.deleteOrder",
        summary: "Delete an order of the sandbox",
        description: """
            Deletes the order and its renewals at the store; unfinished transactions of it leave \
            the queue. Only for the sandbox.
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
