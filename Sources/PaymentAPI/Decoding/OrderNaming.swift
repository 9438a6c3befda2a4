public import PaymentCore
public import SandboxControl
import StrictJSON

/// An order of the sandbox as a client names it: by its transaction or by its own name.
public struct OrderNaming: Sendable, Hashable {
    /// The order; nil for text that never named one.
    public var reference: OrderReference?
    /// The text that the client sent, for the error that says that there is no such order.
    public var text: OpaqueText

    /// Names an order.
    public init(reference: OrderReference?, text: OpaqueText) {
        self.reference = reference
        self.text = text
    }

    /// The two parameters of every method that takes one, of which a call gives one.
    static let parameters: [ParameterSpec] = [
        .optional(
            "transaction", .text(maximumBytes: nil),
            """
            The transaction that asked for the order.
            """),
        .optional("order", .text(maximumBytes: nil), "The order, instead of the transaction."),
    ]

    /// The places of ``parameters``.
    enum Place: Int, ParameterPlace {
        case transaction, order
    }

    /// Takes the one parameter that is given.
    ///
    /// - Throws: None is given, or both are.
    init(_ arguments: borrowing Arguments, in bytes: Span<UInt8>) throws(InvalidParameters) {
        let transaction = arguments.text(Place.transaction, in: bytes)
        let order = arguments.text(Place.order, in: bytes)
        if let transaction, order == nil {
            text = transaction
            reference = TransactionID(transaction.string).map { .transaction($0) }
        } else if let order, transaction == nil {
            text = order
            reference = OrderID(order.string).map { .order($0) }
        } else if order == nil {
            throw InvalidParameters(
                .missingParam, at: "/transaction", expected: "transaction or order")
        } else {
            throw InvalidParameters(
                .unknownParam, at: "/order", expected: "transaction or order, not both")
        }
    }
}
