import PaymentCore
import StrictJSON

/// `help`: the contract as text.
public enum HelpMethod: Method {
    /// The method to explain.
    public struct Params: ParameterRecord {
        /// The name of the method; nil for a list of all.
        public var method: String?

        /// The parameters.
        public static let parameters: [Parameter<Params>] = [
            .optional(
                "method", \.method, ParameterForm<OpaqueText>.text().map(\.string),
                "The method; without it, all methods.", example: "ping")
        ]

        /// Creates parameters for the list of all methods.
        public init() {}
    }

    /// Text for a terminal.
    public struct Result: WireResult, Hashable {
        /// Lines of at most 80 columns, except for the example request.
        public var text: String

        /// The members of the result.
        public static let form = ResultForm<Result>.object([
            .required("text", \.text, .text, "The text, at most 80 columns wide.")
        ])

        /// Creates a result.
        public init(text: String) {
            self.text = text
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        Self.self, name: "help",
        summary: "Explain a method, or list all of them",
        description: "Returns text for a terminal, generated from the same source as rpc.discover.",
        errors: [.methodNotFound],
        role: .observe,
        example: Result(text: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n\nping - …\n"))
}
