import StrictJSON

/// Checks values against the part of JSON Schema that the contract uses. Stricter than the
/// standard in one point: a member that a schema with properties does not list is a finding,
/// because nothing may be on the wire that is not in the contract.
struct SchemaChecker {
    let schemas: JSONValue

    init(document: JSONValue) {
        schemas = document["components"]?["schemas"] ?? [:]
    }

    /// What is wrong, as lines such as `/seq: not an integer`.
    func findings(_ value: JSONValue, _ schema: JSONValue, path: String = "") -> [String] {
        if let reference = schema["$ref"]?.stringValue {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            guard let target = schemas[name] else { return ["\(path): no schema \(reference)"] }
            return findings(value, target, path: path)
        }
        var found: [String] = []
        for part in schema["allOf"]?.arrayValue ?? [] { found += findings(value, part, path: path) }
        if let choices = schema["oneOf"]?.arrayValue {
            let fitting = choices.filter { findings(value, $0, path: path).isEmpty }
            if fitting.count != 1 { found.append("\(path): fits \(fitting.count) of the choices") }
        }
        if let type = schema["type"], !fits(value, type) {
            return found + ["\(path): not of type \(type.jsonText())"]
        }
        if let words = schema["enum"]?.arrayValue, !words.contains(value) {
            found.append("\(path): \(value.jsonText()) is not among the words")
        }
        found += limits(value, schema, path)
        found += members(value, schema, path)
        for (index, element) in (value.arrayValue ?? []).enumerated() {
            guard let items = schema["items"] else { break }
            found += findings(element, items, path: "\(path)/\(index)")
        }
        return found
    }

    private func members(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let members = value.members else { return [] }
        var found: [String] = []
        for name in schema["required"]?.arrayValue ?? [] where value[name.stringValue ?? ""] == nil
        {
            found.append("\(path): \(name.jsonText()) is missing")
        }
        guard let properties = schema["properties"] else { return found }
        for member in members {
            guard let property = properties[member.name] else {
                found.append("\(path): \(member.name) is not in the contract")
                continue
            }
            found += findings(member.value, property, path: "\(path)/\(member.name)")
        }
        return found
    }

    private func limits(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        var found: [String] = []
        if let number = value.doubleValue {
            if let least = schema["minimum"]?.doubleValue, number < least {
                found.append("\(path): below \(least)")
            }
            if let most = schema["maximum"]?.doubleValue, number > most {
                found.append("\(path): above \(most)")
            }
        }
        if let text = value.stringValue {
            if let most = schema["maxLength"]?.intValue, text.count > most {
                found.append("\(path): longer than \(most)")
            }
            if let pattern = schema["pattern"]?.stringValue {
                let expression = try? Regex(pattern)
                if let expression, text.firstMatch(of: expression) == nil {
                    found.append("\(path): does not match \(pattern)")
                }
            }
        }
        if let elements = value.arrayValue, let least = schema["minItems"]?.intValue,
            elements.count < least
        {
            found.append("\(path): fewer than \(least) elements")
        }
        return found
    }

    private func fits(_ value: JSONValue, _ type: JSONValue) -> Bool {
        if let types = type.arrayValue { return types.contains { fits(value, $0) } }
        return switch (type.stringValue, value) {
        case ("object", .object), ("array", .array), ("string", .string), ("number", .number),
            ("boolean", .bool), ("null", .null):
            true
        case ("integer", .number): value.intValue != nil
        default: false
        }
    }
}
