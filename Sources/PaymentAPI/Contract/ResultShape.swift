import StrictJSON

/// The known members of a value in a method's result, for programs that parse result paths.
public struct ResultShape: Sendable {
    private let schema: JSONValue

    /// The shape of a method's whole result; nil for an unknown method.
    public init?(resultOf method: String) {
        guard let spec = Contract.spec(named: method) else { return nil }
        self.init(spec.resultSchema)
    }

    private init(_ schema: JSONValue) {
        self.schema = Self.resolved(schema)
    }

    /// The names of the members. Empty for a value that is not an object; nil for a value with
    /// unlisted members.
    public var members: [String]? {
        if let members = schema["properties"]?.members { return members.map(\.name) }
        guard let type = schema["type"]?.stringValue, type != "object" else { return nil }
        return []
    }

    /// The shape of a member; nil if there is no such member.
    public func member(_ name: String) -> ResultShape? {
        schema["properties"]?[name].map(ResultShape.init)
    }

    /// The shape of an array's elements; nil for other values.
    public var element: ResultShape? {
        schema["items"].map(ResultShape.init)
    }

    /// The schema without references, description wrappers and alternatives with null.
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
