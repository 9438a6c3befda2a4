public import PaymentCore
public import SandboxControl
import StrictJSON

/// A method that has the sandbox do one thing, and shows the order that was made or changed.
public protocol ControlMethod: Method where Result == OrderResult {
    /// The action that a call asks the sandbox for.
    static func request(_ params: Params) -> ControlRequest
}

/// An action of the sandbox.
public enum ControlRequest: Sendable {
    /// Run a control.
    case run(TestControl)
    /// Run a control of the order that the client names.
    case onOrder(OrderNaming, @Sendable (OrderReference) -> TestControl)
}

/// An order of the sandbox as a client names it: by its transaction or by its own name.
public struct OrderNaming: ParameterRecord {
    /// The transaction that asked for the order.
    public var transaction: OpaqueText?
    /// The order.
    public var order: OpaqueText?

    /// The text that the client sent, for the error that says that there is no such order.
    public var text: OpaqueText { transaction ?? order ?? "" }

    /// The order; nil for text that never named one.
    public var reference: OrderReference? {
        guard let transaction else { return OrderID(text.string).map { .order($0) } }
        return TransactionID(transaction.string).map { .transaction($0) }
    }

    /// Names no order.
    public init() {}

    /// The two names, of which a call gives one.
    public static let parameters: [Parameter<OrderNaming>] = [
        .optional(
            "transaction", \.transaction, .text(), "The transaction that asked for the order.",
            example: .string(Examples.transactionID.description)),
        .optional("order", \.order, .text(), "The order, instead of the transaction."),
    ]

    /// Refuses a call with both names or none.
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

/// The result of a control: the order that it made or changed.
public struct OrderResult: WireResult, Hashable {
    /// The order; nil where there is none, which is an empty object on the wire.
    public var order: StoreOrder?

    /// The order, or an empty object.
    public static let form = ResultForm<OrderResult>(maybe) { result, writer in
        if let order = result.order {
            StoreOrder.form.write(order, &writer)
        } else {
            writer.raw("{}")
        }
    }

    /// The schema of a control that need not have an order to show.
    static let maybe: JSONValue = [
        "type": "object", "description": "The current state of the order; absent if there is none.",
    ]
    /// The schema of a control that never has one.
    static let nothing: JSONValue = ["type": "object"]

    /// Shows an order, or none.
    public init(order: StoreOrder?) {
        self.order = order
    }
}

extension MethodSpec {
    /// Describes a method that only the sandbox has.
    convenience init<M: Method>(
        sandbox method: M.Type, name: StaticString, summary: String, description: String,
        errors: [ErrorCode] = [], result: JSONValue? = nil, example: M.Result
    ) {
        self.init(
            method, name: name, summary: summary,
            description: description + " Only for the sandbox.",
            errors: [.notSupportedByStore] + errors, role: .admin, queueCheck: .nothing,
            result: result, example: example)
    }
}
