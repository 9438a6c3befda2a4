public import StrictJSON

/// The contract entry of a method, the only source for decoding, `help` and `rpc.discover`.
public final class MethodSpec: Sendable {
    /// The name on the wire.
    public let name: StaticString
    /// The summary: one line, without a full stop.
    public let summary: String
    /// The description: the effect, the guarantees, and the effect of a repeated call.
    public let description: String
    /// The parameters, in the order of array elements.
    public let parameters: [ParameterSpec]
    /// The JSON Schema of the result.
    public let resultSchema: JSONValue
    /// The errors of this method, in addition to the common ones.
    public let errors: [ErrorCode]
    /// The role that the peer needs.
    public let role: Role
    /// True if a call may wait for a person, the store or time. Its reply may then come after those
    /// of later calls. A slow call of any other method delays the calls behind it.
    public let waits: Bool
    /// True if a daemon that serves its state read-only refuses every call. It refuses calls of other
    /// methods only if they would change something.
    public let isForChanges: Bool
    /// True if a call may change something, even if only for its connection.
    public let hasEffect: Bool
    /// An example call with its result, in the form of the wire.
    public let example: Example

    /// An example of a call.
    public struct Example: Sendable {
        /// The parameters, an object.
        public let params: JSONValue
        /// The result.
        public let result: JSONValue
    }

    /// Creates an entry. The types of the method describe its parameters and result.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - name: The name on the wire.
    ///   - summary: One line, without a full stop.
    ///   - description: The effect, the guarantees, and the effect of a repeated call.
    ///   - errors: The errors of this method, in addition to the common ones.
    ///   - role: The role that the peer needs.
    ///   - waits: True if a call may wait for a person, the store or time.
    ///   - isForChanges: True if a daemon that serves its state read-only refuses every call; by
    ///     default if the method needs another role than to observe.
    ///   - hasEffect: True if a call may change something; by default if `isForChanges`.
    ///   - result: The schema of the result; nil for the schema of the result's type.
    ///   - example: The example result. Parameters with examples form the example call.
    init<M: Method>(
        _ method: M.Type, name: StaticString, summary: String, description: String,
        errors: [ErrorCode] = [], role: Role, waits: Bool = false,
        isForChanges: Bool? = nil, hasEffect: Bool? = nil, result: JSONValue? = nil,
        example: M.Result
    ) {
        let isForChanges = isForChanges ?? (role != .observe)
        self.isForChanges = isForChanges
        self.hasEffect = hasEffect ?? isForChanges
        self.name = name
        self.summary = summary
        self.description = description
        self.errors = errors
        self.role = role
        self.waits = waits
        parameters = M.Params.parameters.map(\.spec)
        resultSchema = result ?? M.Result.form.schema
        let given = parameters.compactMap { parameter in
            parameter.example.map { JSONMember(name: parameter.name.description, value: $0) }
        }
        self.example = Example(params: .object(given), result: example.jsonValue)
    }

    /// True if the parameters may form an array. Longer arrays would be hard to read.
    public var acceptsArrays: Bool { parameters.count <= 2 }
}

/// A parameter of a method, or a member of a structured parameter.
///
/// It is a class like ``MethodSpec``, because each call reads the parameters and none changes them.
public final class ParameterSpec: Sendable {
    /// The name on the wire.
    public let name: StaticString
    /// True if a call without the parameter is refused.
    public let isRequired: Bool
    /// The shape of accepted values.
    public let shape: ParameterShape
    /// The meaning of the value, and of its absence.
    public let summary: String
    /// The role that the parameter needs in addition to that of the method; nil for none.
    public let needs: Role?
    /// The value in the example call; nil if the example omits it.
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

    /// Creates a required parameter.
    public static func required(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String,
        example: JSONValue? = nil
    ) -> ParameterSpec {
        ParameterSpec(
            name: name, isRequired: true, shape: shape, summary: summary, needs: nil,
            example: example)
    }

    /// Creates an optional parameter.
    public static func optional(
        _ name: StaticString, _ shape: ParameterShape, _ summary: String, needs: Role? = nil,
        example: JSONValue? = nil
    ) -> ParameterSpec {
        ParameterSpec(
            name: name, isRequired: false, shape: shape, summary: summary, needs: needs,
            example: example)
    }
}
