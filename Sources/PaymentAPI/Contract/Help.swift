import StrictJSON

/// The contract as terminal text. The first line is a request to paste; the others have at most 80
/// columns.
public enum Help {
    private static let width = 80

    /// The list of all methods, with one line each.
    public static let overview: String = {
        var lines = [
            #"{"jsonrpc":"2.0","id":1,"method":"help","params":["add"]}"#, "",
            "Send one request per line. Methods:", "",
        ]
        let column = (Contract.names.map(\.count).max() ?? 0) + 4
        for method in Contract.methods {
            lines.append(row(method.spec.name.description, method.spec.summary, column: column))
        }
        lines += [
            "",
            "help with the name of a method explains it; rpc.discover returns the same for",
            "programs.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }()

    /// The description of one method.
    public static func text(for spec: MethodSpec) -> String {
        var lines = [request(spec), "", "\(spec.name) - \(spec.summary)", ""]
        lines += wrapped(spec.description, indent: 0)
        lines += ["", parameterTitle(spec)]
        lines += table(
            spec.parameters.map { parameter in
                let isRequired = parameter.isRequired ? "Required. " : ""
                let role = parameter.needs.map { " Needs role \($0.rawValue)." } ?? ""
                let form = " Takes \(parameter.shape.expectation)."
                return (parameter.name.description, isRequired + parameter.summary + form + role)
            })
        let members = resultMembers(spec)
        if !members.isEmpty {
            lines += ["", "Result"]
            lines += table(members.map { ($0.name, $0.meaning) })
        }
        if !spec.errors.isEmpty {
            lines += ["", "Errors"]
            lines += table(spec.errors.map { (String($0.rawValue), "\($0.kind): \($0.message).") })
        }
        lines += ["", "Role: \(spec.role.rawValue)." + (spec.waits ? " The call may wait." : "")]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The text for one method, or the list of all for nil.
    ///
    /// - Returns: The text; nil if there is no such method.
    public static func text(for method: String?) -> String? {
        guard let method else { return overview }
        return Contract.spec(named: method).map { text(for: $0) }
    }

    /// The example request of a method, as one line of JSON.
    public static func request(_ spec: MethodSpec) -> String {
        var members = [
            JSONMember(name: "jsonrpc", value: "2.0"), JSONMember(name: "id", value: 1),
            JSONMember(name: "method", value: .string(spec.name.description)),
        ]
        if spec.example.params.members?.isEmpty == false {
            members.append(JSONMember(name: "params", value: spec.example.params))
        }
        return JSONValue.object(members).jsonText()
    }

    private static func parameterTitle(_ spec: MethodSpec) -> String {
        guard !spec.parameters.isEmpty else { return "No parameters" }
        return spec.acceptsArrays
            ? "Parameters (an object, or an array in this order)" : "Parameters (an object)"
    }

    /// The members of a method's result and their meanings; empty if the result is not an object.
    public static func resultMembers(_ spec: MethodSpec) -> [(name: String, meaning: String)] {
        var schema = spec.resultSchema
        if let reference = schema["$ref"]?.stringValue,
            let component = Schema.components.first(where: { reference.hasSuffix("/" + $0.name) })
        {
            schema = component.schema
        }
        return (schema["properties"]?.members ?? []).map { member in
            (member.name, member.value["description"]?.stringValue ?? "")
        }
    }

    private static func table(_ rows: [(name: String, text: String)]) -> [String] {
        let column = (rows.map(\.name.count).max() ?? 0) + 4
        return rows.map { row($0.name, $0.text, column: column) }
    }

    private static func row(_ name: String, _ text: String, column: Int) -> String {
        let lines = wrapped(text, indent: column)
        let title = "  " + name + String(repeating: " ", count: max(1, column - name.count - 2))
        guard let first = lines.first else { return "  " + name }
        return ([title + first.dropFirst(column)] + lines.dropFirst()).joined(separator: "\n")
    }

    /// Breaks text into lines with an indent in spaces.
    private static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines
    }
}
