import PaymentCore
import StrictJSON

/// `test.resolve`: somebody solves what kept an order from being paid.
public enum TestResolve: Method {
    /// Which order.
    public typealias Params = OrderNaming

    /// The order afterwards.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.resolve",
        summary: "Resolve an interrupted purchase or a failed renewal",
        description: """
            An interrupted purchase is completed, and observers get it as a new transaction; a \
            renewal in billing retry is paid. Only for the sandbox.
            """,
        parameters: OrderNaming.parameters,
        resultSchema: OrderResult.schema,
        errors: [.notSupportedByStore, .noSuchOrder, .notDecidable, .notDurable],
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
