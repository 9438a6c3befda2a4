public import PaymentCore
public import SandboxControl
import StrictJSON

/// A method that runs a control of the sandbox and returns the affected order.
public protocol ControlMethod: Method where Result == OrderResult {
    /// The control that a call requests.
    static func request(_ params: Params) -> ControlRequest
}

/// A requested control of the sandbox.
public enum ControlRequest: Sendable {
    /// Runs a control.
    case run(TestControl)
    /// Runs a control on the order that the client named.
    case onOrder(OrderNaming, @Sendable (OrderReference) -> TestControl)
}

/// A client's reference to an order of the sandbox: its transaction or its own identifier.
public struct OrderNaming: ParameterRecord {
    /// The transaction that requested the order.
    public var transaction: OpaqueText?
    /// The identifier of the order.
    public var order: OpaqueText?

    /// The text from the client, for the error about an unknown order.
    public var text: OpaqueText { transaction ?? order ?? "" }

    /// The reference; nil if the text is not an identifier.
    public var reference: OrderReference? {
        guard let transaction else { return OrderID(text.string).map { .order($0) } }
        return TransactionID(transaction.string).map { .transaction($0) }
    }

    /// Creates an empty reference.
    public init() {}

    /// The two parameters, of which a call gives exactly one.
    public static let parameters: [Parameter<OrderNaming>] = [
        .optional(
            "transaction", \.transaction, .text(), "The transaction that asked for the order.",
            example: .string(Examples.transactionID.description)),
        .optional("order", \.order, .text(), "The order, instead of the transaction."),
    ]

    /// Refuses a call with both parameters or none.
    public func validate() throws(InvalidParameters) {
        switch (transaction, order) {
        case (nil, nil):
            throw InvalidParameters(
                .missingParam, at: "/transaction", expected: "transaction or order")
        case (_?, _?):
            throw InvalidParameters(
                .unknownParam, at: "/order", expected: "transaction or order, not both")
        default: return
        }
    }
}

/// The result of a control: the created or changed order.
public struct OrderResult: WireResult, Hashable {
    /// The order; nil for none, which is an empty object on the wire.
    public var order: StoreOrder?

    /// The form of an order, or of an empty object.
    public static let form = ResultForm<OrderResult>(maybe) { result, writer in
        if let order = result.order {
            StoreOrder.form.write(order, &writer)
        } else {
            writer.raw("{}")
        }
    }

    /// The schema for controls that may have no order.
    static let maybe: JSONValue = [
        "type": "object", "description": "The current state of the order; absent if there is none.",
    ]
    /// The schema for controls that never have an order.
    static let nothing: JSONValue = ["type": "object"]

    /// Creates a result.
    public init(order: StoreOrder?) {
        self.order = order
    }
}

extension MethodSpec {
    /// Creates the contract entry of a sandbox method.
    convenience init<M: Method>(
        sandbox method: M.Type, name: StaticString, summary: String, description: String,
        errors: [ErrorCode] = [], result: JSONValue? = nil, example: M.Result
    ) {
        self.init(
            method, name: name, summary: summary,
            description: description + " Only for the sandbox.",
            errors: [.notSupportedByStore] + errors, role: .admin,
            result: result, example: example)
    }
}
