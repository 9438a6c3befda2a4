import StrictJSON

/// `test.clear`: the store forgets every order.
public enum TestClear: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Nothing to show.
    public typealias Result = OrderResult

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.clear",
        summary: "Let the sandbox forget every order",
        description:
            "Settings stay, and what the queue was told stays as well. Only a sandbox does this.",
        resultSchema: ["type": "object"],
        errors: [.notSupportedByStore, .notDurable],
        role: .admin,
        example: .init(result: OrderResult(order: nil)))
}
