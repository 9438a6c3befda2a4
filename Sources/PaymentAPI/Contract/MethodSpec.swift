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
    /// The question that `check` asks the queue about a call of the method.
    public let queueCheck: QueueCheck
    /// Parameters that can be sent as they are, and a result as it is written.
    public let example: Example

    /// One call and its answer.
    public struct Example: Sendable {
        /// The parameters, an object.
        public let params: JSONValue
        /// The result.
        public let result: JSONValue
    }

    /// Describes a method; its parameters and its result are described by their types.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - name: The name on the wire.
    ///   - summary: One line, without a full stop.
    ///   - description: What it does, what it promises, what a second call does.
    ///   - errors: The errors beside those that every method can end in.
    ///   - role: The role that a call needs.
    ///   - queueCheck: The question that `check` asks the queue about a call.
    ///   - waits: Whether a call may have to wait for a person, the store or time.
    ///   - result: The schema of the result; nil for that of the result's type.
    ///   - example: The result of the example, whose parameters are those with an example.
    init<M: Method>(
        _ method: M.Type, name: StaticString, summary: String, description: String,
        errors: [ErrorCode] = [], role: Role, queueCheck: QueueCheck, waits: Bool = false,
        result: JSONValue? = nil, example: M.Result
    ) {
        self.name = name
        self.summary = summary
        self.description = description
        self.errors = errors
        self.role = role
        self.waits = waits
        self.queueCheck = queueCheck
        parameters = M.Params.parameters.map(\.spec)
        resultSchema = result ?? M.Result.form.schema
        let given = parameters.compactMap { parameter in
            parameter.example.map { JSONMember(name: parameter.name.description, value: $0) }
        }
        self.example = Example(params: .object(given), result: example.jsonValue)
    }

    /// Whether parameters may come as an array: longer lists would be guesswork to read.
    public var acceptsArrays: Bool { parameters.count <= 2 }
}

/// The question that `check` asks the queue about a call whose parameters are right. Every method states
/// it, so that none is checked by its parameters alone by mistake.
public enum QueueCheck: Sendable {
    /// Nothing: the queue refuses no such call, or only the store can tell.
    case nothing
    /// Whether it would accept the payment.
    case payment
    /// Whether it would accept the restore.
    case restore
    /// Whether it knows the transaction.
    case transaction
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
    /// The value in the example of the method; nil if the example does without.
    let example: JSONValue?

    private init(
        name: StaticString, isRequired: Bool, shape: ParameterShape, summary: String, needs: Role?,
        example: JSONValue?
    ) {
        self.name = name
        self.isRequired = isRequired
        self.shape = shape
        self.summary = summary
        self.needs = needs
        self.example = example
    }

    /// A parameter that every call must give.
    public static func required(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String,
        example: JSONValue? = nil
    ) -> ParameterSpec {
        ParameterSpec(
            name: name, isRequired: true, shape: shape, summary: summary, needs: nil,
            example: example)
    }

    /// A parameter that may be left out.
    public static func optional(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String, needs: Role? = nil,
        example: JSONValue? = nil
    ) -> ParameterSpec {
        ParameterSpec(
            name: name, isRequired: false, shape: shape, summary: summary, needs: needs,
            example: example)
    }
}
