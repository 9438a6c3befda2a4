import StrictJSON

/// One parameter of a call: its name, what it accepts, what it means, and the property that it fills.
///
/// The declarations are not specialised for each type of property: they run once, and copies of them
/// would make the programs 200 kB larger.
public struct Parameter<Root: Sendable>: Sendable {
    /// A property that is filled.
    typealias Property<Value> = any WritableKeyPath<Root, Value> & Sendable

    /// The entry of the parameter in the contract.
    let spec: ParameterSpec
    /// Fills the property with the checked value at a token.
    let fill: @Sendable (inout Root, _ token: Int, JSONTape, _ bytes: Span<UInt8>) -> Void

    /// A parameter that every call must give.
    @_semantics("optimize.sil.specialize.generic.never")
    static func required<Value>(
        _ name: StaticString, _ property: Property<Value>, _ form: ParameterForm<Value>,
        _ summary: String, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .required(name, form.shape, summary, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// A parameter that may be left out; the property is nil then.
    @_semantics("optimize.sil.specialize.generic.never")
    static func optional<Value>(
        _ name: StaticString, _ property: Property<Value?>, _ form: ParameterForm<Value>,
        _ summary: String, needs role: Role? = nil, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .optional(name, form.shape, summary, needs: role, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// A parameter that may be left out; the property keeps the value that it begins with then.
    @_semantics("optimize.sil.specialize.generic.never")
    static func defaulted<Value>(
        _ name: StaticString, _ property: Property<Value>, _ form: ParameterForm<Value>,
        _ summary: String, example: JSONValue? = nil
    ) -> Self {
        Self(
            spec: .optional(name, form.shape, summary, example: example),
            fill: { $0[keyPath: property] = form.read($1, $2, $3) })
    }

    /// An object that may be left out, whose members fill properties of the same call.
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

/// The parameters of a method, declared once: decoding, the contract, `help`, the order of an array
/// and the example all come from the list.
public protocol ParameterRecord: Sendable, Hashable {
    /// The parameters in the order of an array.
    static var parameters: [Parameter<Self>] { get }

    /// The parameters of a call that gives none; what every call must give has any value.
    init()

    /// Looks at the parameters of a call together.
    ///
    /// - Throws: What no single parameter shows, such as two that exclude each other.
    func validate() throws(InvalidParameters)
}

extension ParameterRecord {
    /// Finds nothing wrong.
    public func validate() throws(InvalidParameters) {}

    /// Reads the parameters by their list.
    init(_ arguments: borrowing Arguments, in bytes: Span<UInt8>) throws(InvalidParameters) {
        self.init()
        for (place, parameter) in Self.parameters.enumerated() {
            guard let token = arguments.token(at: place) else { continue }
            parameter.fill(&self, token, arguments.tape, bytes)
        }
        try validate()
    }
}

/// The parameters of a method that has none.
public struct NoParameters: ParameterRecord {
    /// No parameters.
    public static let parameters: [Parameter<NoParameters>] = []

    /// Nothing to say.
    public init() {}
}
