import StrictJSON

/// `test.reset`: every setting goes back to what the catalogue says.
public enum TestReset: Method {
    /// There is nothing to say.
    public typealias Params = NoParameters

    /// Nothing to show.
    public typealias Result = OrderResult

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "test.reset",
        summary: "Reset all settings of the sandbox",
        description: "Orders stay; test.clear deletes them. Only for the sandbox.",
        resultSchema: ["type": "object"],
        errors: [.notSupportedByStore, .notDurable],
        role: .admin,
        example: .init(result: OrderResult(order: nil)))
}
