import PaymentCore
public import StrictJSON

/// `help`: the contract for people.
public enum HelpMethod: Method {
    /// The method to explain.
    public struct Params: Sendable, Hashable {
        /// The method; nil for all of them.
        public var method: String?
    }

    /// Text for a terminal.
    public struct Result: WireResult, Hashable {
        /// Lines of at most 80 columns, but for the example that can be pasted.
        public var text: String

        /// Makes a result.
        public init(text: String) {
            self.text = text
        }

        /// Appends the result.
        public func write(into writer: inout JSONWriter) {
            writer.raw("{\"text\":")
            writer.string(text)
            writer.raw("}")
        }
    }

    /// The method's entry in the contract.
    public static let spec = MethodSpec(
        name: "help",
        summary: "Explain a method, or list all of them",
        description: "Returns text for a terminal, generated from the same source as rpc.discover.",
        parameters: [
            .optional("method", .text(maximumBytes: nil), "The method; without it, all methods.")
        ],
        resultSchema: Schema.object([
            Schema.required("text", Schema.text, "The text, at most 80 columns wide.")
        ]),
        errors: [.methodNotFound],
        role: .observe,
        example: .init(
            params: ["method": "ping"],
            result: Result(text: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n\nping - …\n")
        ))

    private enum Place: Int, ParameterPlace {
        case method
    }

    /// Takes what to explain.
    public static func decode(
        _ arguments: borrowing Arguments, in bytes: Span<UInt8>
    ) throws(InvalidParameters) -> Params {
        Params(method: arguments.text(Place.method, in: bytes)?.string)
    }
}
