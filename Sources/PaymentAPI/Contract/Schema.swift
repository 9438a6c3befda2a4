import StrictJSON

/// A builder of the JSON Schemas of results. Members have the order in which they are written.
enum Schema {
    /// A member of an object schema.
    struct Member {
        let name: String
        let schema: JSONValue
        let isRequired: Bool
    }

    /// Creates a member that is always present.
    static func required(_ name: String, _ schema: JSONValue, _ summary: String) -> Member {
        Member(name: name, schema: described(schema, summary), isRequired: true)
    }

    /// Creates a member that may be absent.
    static func optional(_ name: String, _ schema: JSONValue, _ summary: String) -> Member {
        Member(name: name, schema: described(schema, summary), isRequired: false)
    }

    /// An object schema. It allows further members, because later releases may add some.
    static func object(_ members: [Member]) -> JSONValue {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        let properties = members.map { JSONMember(name: $0.name, value: $0.schema) }
        var schema = [
            JSONMember(name: "type", value: "object"),
            JSONMember(name: "properties", value: .object(properties)),
        ]
        if !required.isEmpty {
            schema.append(JSONMember(name: "required", value: .array(required)))
        }
        return .object(schema)
    }

    static let text: JSONValue = ["type": "string"]
    static let flag: JSONValue = ["type": "boolean"]
    static let count: JSONValue = ["type": "integer", "minimum": 0]
    static let sequence: JSONValue = [
        "type": "integer", "minimum": 0, "maximum": .integer(ParameterShape.largestSequence),
    ]
    static let identifier: JSONValue = ["type": "string", "maxLength": 64]
    static let time: JSONValue = ["type": "string", "format": "date-time"]

    /// A schema of words. Clients must accept words that later releases add.
    static func words(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }

    static func list(of element: JSONValue) -> JSONValue {
        ["type": "array", "items": element]
    }

    /// A schema that also allows null.
    static func nullable(_ schema: JSONValue) -> JSONValue {
        ["oneOf": [schema, ["type": "null"]]]
    }

    /// A reference to a component schema.
    static func reference(_ name: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/" + name)]
    }

    /// A schema with a description. A reference must stand alone, so it is wrapped.
    static func described(_ schema: JSONValue, _ summary: String) -> JSONValue {
        guard case .object(var members) = schema else { return schema }
        if schema["$ref"] != nil {
            return ["allOf": [schema], "description": .string(summary)]
        }
        members.append(JSONMember(name: "description", value: .string(summary)))
        return .object(members)
    }
}
