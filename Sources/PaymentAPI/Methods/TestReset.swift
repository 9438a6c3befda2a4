import StrictJSON

/// `test.reset`: every setting goes back to what the catalogue says.
public enum TestReset: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Nothing to show.
    public typealias Result = OrderResult

    /// What the contract says of it.
    public static let spec = MethodSpec(
        name: "test.reset",
        summary: "Put every setting of the sandbox back",
        description: "Orders stay; test.clear forgets them. Only a sandbox does this.",
        resultSchema: ["type": "object"],
        errors: [.notSupportedByStore, .notDurable],
        role: .admin,
        example: .init(result: OrderResult(order: nil)))
}
