import StrictJSON

/// A JSON Schema as a reference: objects and their members, in the order of the schema.
struct SchemaReference {
    /// An object and its members.
    struct Section {
        /// The name of the object; empty for the file itself.
        let name: String
        let meaning: String
        let members: [Member]
    }

    /// A member of an object, or a value shared by several members.
    struct Member {
        let name: String
        let meaning: String
        /// The permitted values, as text.
        let values: String
        let isRequired: Bool
        /// The default value as JSON.
        let standard: String?
        /// The default in words, if it is not a fixed value.
        let standardWords: String?
        let flag: String?
        let variable: String?
        /// Whether a reload applies a new value; nil if the question does not apply.
        let isReloadable: Bool?
        let example: String?
    }

    let title: String
    /// The paragraphs about the file.
    let introduction: [String]
    /// The file itself, then each object in it once.
    let sections: [Section]
    /// The values that members share.
    let values: [Member]
    /// A complete example file.
    let example: String

    init(_ schema: JSONValue) {
        title = schema["title"]?.stringValue ?? ""
        let prose = schema["description"]?.stringValue ?? ""
        introduction = prose.split(separator: "\n").map(String.init)
        example = schema["examples"]?[0]?.prettyText() ?? ""
        let inner = (schema["properties"]?.members ?? []).filter { $0.value["properties"] != nil }
        let definitions = schema["$defs"]?.members ?? []
        let objects = inner + definitions.filter { $0.value["properties"] != nil }
        sections =
            [Self.section("", schema)] + objects.map { Self.section($0.name, $0.value) }
        values = definitions.filter { $0.value["properties"] == nil }.map {
            Self.member($0.name, $0.value, isRequired: false)
        }
    }

    private static func section(_ name: String, _ schema: JSONValue) -> Section {
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let members = (schema["properties"]?.members ?? []).map {
            member($0.name, $0.value, isRequired: required.contains($0.name))
        }
        return Section(
            name: name, meaning: schema["description"]?.stringValue ?? "", members: members)
    }

    private static func member(
        _ name: String, _ schema: JSONValue, isRequired: Bool
    ) -> Member {
        Member(
            name: name, meaning: schema["description"]?.stringValue ?? "",
            values: [words(schema), schema["x-unit"]?.stringValue].compactMap { $0 }
                .joined(separator: ", in "),
            isRequired: isRequired,
            standard: schema["default"]?.jsonText(),
            standardWords: schema["x-default"]?.stringValue,
            flag: schema["x-flag"]?.stringValue, variable: schema["x-environment"]?.stringValue,
            isReloadable: schema["x-reloadable"]?.boolValue,
            example: schema["examples"]?[0]?.jsonText())
    }

    /// The values that a schema permits, as text.
    private static func words(_ schema: JSONValue) -> String {
        if let name = schema["$ref"]?.stringValue {
            return name.split(separator: "/").last.map(String.init) ?? name
        }
        if let choices = schema["oneOf"]?.arrayValue {
            return choices.map(words).joined(separator: " or ")
        }
        if let choices = schema["enum"]?.arrayValue {
            return choices.map { $0.stringValue ?? $0.jsonText() }.joined(separator: ", ")
        }
        if let only = schema["const"] { return only.jsonText() }
        if let types = schema["type"]?.arrayValue {
            return types.compactMap { $0.stringValue }.joined(separator: " or ")
        }
        switch schema["type"]?.stringValue {
        case "boolean": return "true or false"
        case "integer":
            let bounds = [schema["minimum"], schema["maximum"]].compactMap { $0?.jsonText() }
            return "whole number from " + bounds.joined(separator: " to ")
        case "array": return "list of: " + (schema["items"].map(words) ?? "anything")
        case "object":
            guard let value = schema["additionalProperties"], value.members != nil else {
                return "object"
            }
            return "object, by name: " + words(value)
        default:
            let longest = schema["maxLength"]?.jsonText()
            return "text" + (longest.map { " of at most \($0) characters" } ?? "")
        }
    }
}
