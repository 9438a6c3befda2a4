import StrictJSON

/// The generated file of the Go library.
struct GoTypes {
    let contract: ClientContract

    /// `contract.go`, as gofmt would write it.
    var types: String {
        var file = GeneratedText()
        file.add(
            "// Code generated from the contract by a test; DO NOT EDIT.", "", "package payqueued",
            "",
            "import (", "\t\"context\"", "\t\"encoding/json\"", ")",
            "", "// Version is the release of the product that this is of.",
            "const Version = \"\(contract.version)\"")
        for list in contract.words { file.add(lines(of: list)) }
        for record in contract.records { file.add(lines(of: record)) }
        file.add(notifications)
        for call in contract.typedCalls { file.add(lines(of: call)) }
        file.add("", "// The codes of errors. A later daemon may have others.", "const (")
        let width = contract.failures.map { name($0.kind).count }.max() ?? 0
        for failure in contract.failures {
            let constant = "Code\(name(failure.kind))"
            let padding = String(repeating: " ", count: width + 4 - constant.count)
            file.add("\t\(constant)\(padding) = \(failure.code) // \(failure.message)")
        }
        file.add(")")
        return aligned(file.text)
    }

    /// The comments behind the codes stand in one column.
    private func aligned(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let codes = lines.indices.filter { lines[$0].hasPrefix("\tCode") }
        func column(_ line: String) -> Int {
            line.range(of: " // ").map { line.distance(from: line.startIndex, to: $0.lowerBound) }
                ?? 0
        }
        let width = codes.map { column(lines[$0]) }.max() ?? 0
        for index in codes {
            let line = lines[index]
            let padding = String(repeating: " ", count: width - column(line))
            lines[index] = line.replacing(" // ", with: padding + " // ", maxReplacements: 1)
        }
        return lines.joined(separator: "\n")
    }

    private func lines(of list: ClientContract.Words) -> [String] {
        let constants = list.words.map { (name: "\(list.name)\(name($0))", word: $0) }
        let width = constants.map(\.name.count).max() ?? 0
        return [
            "", "// \(list.name) is one of these words, or one of a later daemon.",
            "type \(list.name) string", "", "const (",
        ]
            + constants.map { constant in
                let padding = String(repeating: " ", count: width - constant.name.count)
                return "\t\(constant.name)\(padding) \(list.name) = \"\(constant.word)\""
            } + [")"]
    }

    private func lines(of record: ClientContract.Record) -> [String] {
        var lines =
            [""]
            + GeneratedText.wrapped("\(goName(record.name)): \(record.summary)", prefix: "// ") + [
                "type \(goName(record.name)) struct {"
            ]
        for field in record.fields {
            lines += GeneratedText.wrapped(field.summary, prefix: "\t// ")
            let tag = field.name + (field.isRequired ? "" : ",omitempty")
            lines.append(
                "\t\(name(field.name)) \(type(of: field, record.isInput)) `json:\"\(tag)\"`")
        }
        return lines + ["}"]
    }

    private func type(of field: ClientContract.Field, _ isInput: Bool) -> String {
        let plain = type(field.kind, isInput)
        guard !field.isRequired else { return plain }
        switch field.kind {
        case .integer, .number, .record: return "*" + plain
        case .flag: return isInput ? "*bool" : "bool"
        case .text, .words, .list, .map, .any, .either, .nullable: return plain
        }
    }

    private func type(_ kind: ClientContract.Kind, _ isInput: Bool) -> String {
        switch kind {
        case .text: "string"
        case .flag: "bool"
        case .integer: "int64"
        case .number: "float64"
        case .any, .either: isInput ? "any" : "json.RawMessage"
        case .map: "map[string]json.RawMessage"
        case .words(let name): name
        case .list(let one): "[]\(type(one, isInput))"
        case .record(let name): goName(name)
        case .nullable(let one): "*\(type(one, isInput))"
        }
    }

    private var notifications: [String] {
        var lines = [
            "",
            "// Notification is something the daemon sent without being asked: a method, and what that",
            "// brings. A method of a later daemon brings Params alone.",
            "type Notification struct {",
            "\tMethod string", "\t// Subscribed: `opened`, which is this library's own.",
            "\tOpened *SubscribeResult",
        ]
        for notice in contract.notices {
            lines += ["\t// \(notice.summary).", "\t\(name(notice.name)) *\(notice.record)"]
        }
        lines += ["\t// What came, as it came.", "\tParams json.RawMessage", "}", ""]
        lines += [
            "func readNotification(method string, params json.RawMessage) (Notification, error) {",
            "\tnotification := Notification{Method: method, Params: params}", "\tvar err error",
            "\tswitch method {",
        ]
        for notice in contract.notices {
            lines += [
                "\tcase \"\(notice.name)\":",
                "\t\terr = json.Unmarshal(params, &notification.\(name(notice.name)))",
            ]
        }
        return lines + ["\t}", "\treturn notification, err", "}"]
    }

    private func lines(of call: ClientContract.Call) -> [String] {
        let method = call.name == "rpc.discover" ? "Discover" : name(call.name)
        let behaviour = call.behaviour
        let hasParameters = !call.parameters.fields.isEmpty
        let parameters = hasParameters ? ", params \(goName(call.parameters.name))" : ""
        var lines =
            [""] + GeneratedText.wrapped("\(method): \(call.summary).", prefix: "// ")
        if !call.description.isEmpty {
            lines += ["//"] + GeneratedText.wrapped(call.description, prefix: "// ")
        }
        let description =
            "call{\"\(call.name)\", \(behaviour.isRepeatable), \(behaviour.longestSeconds)}"
        let given = hasParameters ? "params" : "struct{}{}"
        var key: [String] = []
        if behaviour.hasKey {
            key = ["\tif params.Key == \"\" {", "\t\tparams.Key = FreshKey()", "\t}"]
        }
        guard case .record(let result) = call.result else {
            return lines + ["func (c *Client) \(method)(ctx context.Context\(parameters)) error {"]
                + key + [
                    "\t_, err := invoke[struct{}](ctx, c, \(description), \(given))",
                    "\treturn err",
                    "}",
                ]
        }
        lines.append(
            "func (c *Client) \(method)(ctx context.Context\(parameters)) (*\(goName(result)), error) {"
        )
        return lines + key + [
            "\treturn invoke[\(goName(result))](ctx, c, \(description), \(given))", "}",
        ]
    }

    private func goName(_ name: String) -> String {
        name.hasPrefix("Rpc") ? "RPC" + name.dropFirst(3) : name
    }

    /// An exported name, with initials in capitals.
    private func name(_ name: String) -> String {
        var words = ClientContract.snake(name).split(separator: "_").map(String.init)
        if name.allSatisfy(\.isUppercase) { words = [name] }
        let initials: Set<String> = ["id", "ids", "url", "uid", "gid", "jws", "rpc", "api", "ms"]
        return words.map { word in
            guard initials.contains(word) else {
                return word.prefix(1).uppercased() + word.dropFirst()
            }
            return word == "ids" ? "IDs" : word == "ms" ? "MS" : word.uppercased()
        }.joined()
    }
}
