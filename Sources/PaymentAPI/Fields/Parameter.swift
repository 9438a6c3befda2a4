import StrictJSON

/// A parameter of a call: its contract entry and the property that it sets.
///
/// The declarations are not specialized per property type. They run only once, and specialization
/// would enlarge the programs by 200 kB.
public struct Parameter<Root: Sendable>: Sendable {
    /// A property that a parameter sets.
    typealias Property<Value> = any WritableKeyPath<Root, Value> & Sendable

    /// The contract entry of the parameter.
    let spec: ParameterSpec
    /// Sets the property to the checked value at a token.
    let fill: @Sendable (inout Root, _ token: Int, JSONTape, _ bytes: Span<UInt8>) -> Void

    /// Creates a required parameter.
    @_semantics("optimize.sil.specialize.generic.never")
    static func required<Value>(
        _ name: StaticString, _ property: Property<Value>, _ form: ParameterForm<Value>,
        _ summary: String, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .required(name, form.shape, summary, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// Creates an optional parameter; without it the property is nil.
    @_semantics("optimize.sil.specialize.generic.never")
    static func optional<Value>(
        _ name: StaticString, _ property: Property<Value?>, _ form: ParameterForm<Value>,
        _ summary: String, needs role: Role? = nil, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .optional(name, form.shape, summary, needs: role, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// Creates an optional parameter; without it the property keeps its initial value.
    @_semantics("optimize.sil.specialize.generic.never")
    static func defaulted<Value>(
        _ name: StaticString, _ property: Property<Value>, _ form: ParameterForm<Value>,
        _ summary: String, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .optional(name, form.shape, summary, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// Creates an optional object whose members set properties of the same call.
    static func group(
        _ name: StaticString, _ members: [Self], _ summary: String, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .optional(name, .record(members.map(\.spec)), summary, example: example),
            fill: { root, object, tape, bytes in
                for member in members {
                    guard let token = tape.member(member.spec.name, of: object, in: bytes)
                    else { continue }
                    member.fill(&root, token, tape, bytes)
                }
            })
    }
}

/// The parameters of a method, declared once for decoding, the contract, `help`, array order and
/// the example.
public protocol ParameterRecord: Sendable, Hashable {
    /// The parameters, in the order of array elements.
    static var parameters: [Parameter<Self>] { get }

    /// Creates the parameters of a call without any. Required properties have arbitrary values.
    init()

    /// Checks the parameters in combination.
    ///
    /// - Throws: A violation that involves several parameters, such as two that exclude each other.
    func validate() throws(InvalidParameters)
}

extension ParameterRecord {
    /// Accepts all parameters.
    public func validate() throws(InvalidParameters) {}

    /// Decodes the parameters by ``parameters``.
    ///
    /// - Throws: The violation that ``validate()`` finds.
    init(_ arguments: borrowing Arguments, in bytes: Span<UInt8>) throws(InvalidParameters) {
        self.init()
        for (place, parameter) in Self.parameters.enumerated() {
            guard let token = arguments.token(at: place) else { continue }
            parameter.fill(&self, token, arguments.tape, bytes)
        }
        try validate()
    }
}

/// The parameters of a method without any.
public struct NoParameters: ParameterRecord {
    /// The empty list.
    public static let parameters: [Parameter<NoParameters>] = []

    /// Creates the value.
    public init() {}
}
