import StrictJSON

/// The members that a value in the result of a method can have, for programs that read paths into
/// results.
public struct ResultShape: Sendable {
    private let schema: JSONValue

    /// The whole result of a method; nil for a method that this version does not know.
    public init?(resultOf method: String) {
        guard let spec = Contract.spec(named: method) else { return nil }
        self.init(spec.resultSchema)
    }

    private init(_ schema: JSONValue) {
        self.schema = Self.resolved(schema)
    }

    /// The names of the members: none for a value that is no object, nil for an object or another
    /// value whose members are not listed.
    public var members: [String]? {
        if let members = schema["properties"]?.members { return members.map(\.name) }
        guard let type = schema["type"]?.stringValue, type != "object" else { return nil }
        return []
    }

    /// The shape of a member; nil if the object has none of that name.
    public func member(_ name: String) -> ResultShape? {
        schema["properties"]?[name].map(ResultShape.init)
    }

    /// The shape of the elements of an array; nil for a value of another kind.
    public var element: ResultShape? {
        schema["items"].map(ResultShape.init)
    }

    /// The schema behind references, descriptions and alternatives with null.
    private static func resolved(_ schema: JSONValue) -> JSONValue {
        if let reference = schema["$ref"]?.stringValue {
            let component = Schema.components.first { reference.hasSuffix("/" + $0.name) }
            return component.map { resolved($0.schema) } ?? schema
        }
        if let wrapped = schema["allOf"]?[0] { return resolved(wrapped) }
        guard let choices = schema["oneOf"]?.arrayValue else { return schema }
        let values = choices.filter { $0["type"]?.stringValue != "null" }
        return values.count == 1 ? resolved(values[0]) : schema
    }
}
