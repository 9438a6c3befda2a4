import StrictJSON

/// `test.clear`: the store forgets every order.
public enum TestClear: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Nothing to show.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.clear",
        summary: "Delete all orders of the sandbox",
        description:
            "Settings stay, and so do the queue's records. Only for the sandbox.",
        resultSchema: ["type": "object"],
        errors: [.notSupportedByStore, .notDurable],
        role: .admin,
        example: .init(result: OrderResult(order: nil)))
}
