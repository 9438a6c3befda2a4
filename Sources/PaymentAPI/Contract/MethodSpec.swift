public import StrictJSON

/// Everything the contract says of one method: decoding, `help` and `rpc.discover` read it here and
/// nowhere else.
public final class MethodSpec: Sendable {
    /// The name on the wire.
    public let name: StaticString
    /// One line, without a full stop.
    public let summary: String
    /// The effect, the promises, and the effect of a second call.
    public let description: String
    /// The parameters in the order of an array.
    public let parameters: [ParameterSpec]
    /// The JSON Schema of the result.
    public let resultSchema: JSONValue
    /// The errors of this method beside those that every method can end in.
    public let errors: [ErrorCode]
    /// The role that a call needs.
    public let role: Role
    /// Whether a call may have to wait for a person, the store or time and then gives up its place
    /// among the replies. A call of any other method that is not answered at once holds up what is
    /// behind it.
    public let waits: Bool
    /// Parameters that can be sent as they are, and a result as it is written.
    public let example: Example

    /// One call and its answer.
    public struct Example: Sendable {
        /// The parameters, an object.
        public let params: JSONValue
        /// The result.
        public let result: JSONValue

        /// Makes an example. The result is written by the code that writes the real ones.
        public init(params: JSONValue = [:], result: some WireResult) {
            self.params = params
            self.result = result.jsonValue
        }

        init(params: JSONValue = [:], rawResult: JSONValue) {
            self.params = params
            self.result = rawResult
        }
    }

    /// Describes a method.
    public init(
        name: StaticString, summary: String, description: String, parameters: [ParameterSpec] = [],
        resultSchema: JSONValue, errors: [ErrorCode] = [], role: Role, waits: Bool = false,
        example: Example
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.parameters = parameters
        self.resultSchema = resultSchema
        self.errors = errors
        self.role = role
        self.waits = waits
        self.example = example
    }

    /// Whether parameters may come as an array: longer lists would be guesswork to read.
    public var acceptsArrays: Bool { parameters.count <= 2 }
}

/// One parameter of a method, or one member of a structured parameter.
///
/// A class, as ``MethodSpec`` is: every call looks at its parameters, and nobody changes them.
public final class ParameterSpec: Sendable {
    /// The name on the wire.
    public let name: StaticString
    /// Whether a call without it is refused.
    public let isRequired: Bool
    /// The accepted values.
    public let shape: ParameterShape
    /// The meaning of the value and of its absence.
    public let summary: String
    /// A role that giving this parameter needs beside the method's own.
    public let needs: Role?

    private init(
        name: StaticString, isRequired: Bool, shape: ParameterShape, summary: String, needs: Role?
    ) {
        self.name = name
        self.isRequired = isRequired
        self.shape = shape
        self.summary = summary
        self.needs = needs
    }

    /// A parameter that every call must give.
    public static func required(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String
    ) -> ParameterSpec {
        ParameterSpec(name: name, isRequired: true, shape: shape, summary: summary, needs: nil)
    }

    /// A parameter that may be left out.
    public static func optional(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String, needs: Role? = nil
    ) -> ParameterSpec {
        ParameterSpec(name: name, isRequired: false, shape: shape, summary: summary, needs: needs)
    }
}
