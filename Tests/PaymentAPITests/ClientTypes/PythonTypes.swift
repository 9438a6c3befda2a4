import StrictJSON

/// The generated files of the Python library.
struct PythonTypes {
    let contract: ClientContract

    /// `contract.py`: the types.
    var types: String {
        var file = GeneratedText()
        file.add(
            #""""The types of the contract. Written from it by a test: do not edit."#, "",
            "They are plain dictionaries, exactly as they come over the wire. Later daemons may add members,",
            "states and kinds: read those you know and let the others pass.",
            #"""""#, "", "from __future__ import annotations", "",
            "import enum",
            "from typing import Any, Dict, List, Literal, Optional, Sequence, TypedDict, Union",
            "", "#: The release of the product that this is of.",
            "VERSION = \"\(contract.version)\"", "",
            "#: An object whose members the contract leaves open.", "JSONObject = Dict[str, Any]",
            "")
        for list in contract.words {
            file.add(
                GeneratedText.list(
                    "\(list.name) = Literal[", list.words.map { "\"\($0)\"" }, "]", indent: ""))
        }
        for record in contract.records { file.add(lines(of: record)) }
        file.add(errorCodes)
        return file.text
    }

    /// `requests.py`: a function for each call, and the class that lists them.
    var requests: String {
        var file = GeneratedText()
        let names =
            contract.plainCalls.compactMap { named($0.result) }
            + contract.controls.flatMap { ["\(pascal($0))Params", named($0.result) ?? ""] }
        let used = Set(
            names + usedWords(in: contract.plainCalls)
                + ["HelloResult", "HelloClient", "JSONObject"])
        let known = Set(contract.records.map(\.name) + contract.words.map(\.name) + ["JSONObject"])
        file.add(
            #""""Every method of the daemon as a function that makes a request."#, "",
            "`AsyncClient` and `Client` have each of them as a method of the same name. Written from the",
            "contract by a test: do not edit.",
            #"""""#, "", "from __future__ import annotations", "",
            "from typing import Any, Literal, Mapping, Optional, Sequence, Union, overload", "",
            "from .contract import (")
        file.add(used.intersection(known).sorted().map { "    \($0)," })
        file.add(
            ")", "from .method import method", "from .request import Request, fresh_key, given")
        for call in contract.plainCalls + contract.calls.filter({ $0.name == "hello" }) {
            file.add("", "")
            file.add(lines(of: call))
        }
        file.add("", "")
        file.add(controls)
        file.add(
            "", "", "class Methods:",
            #"    """One method for each of the daemon; ``send`` of the client decides how it is carried out.""""#,
            "")
        for name in contract.plainCalls.map({ function($0) }) + ["test"] {
            file.add("    \(name) = method(\(name))")
        }
        return file.text
    }

    private func lines(of record: ClientContract.Record) -> [String] {
        let required = record.fields.filter(\.isRequired)
        let optional = record.fields.filter { !$0.isRequired }
        let isMixed = !required.isEmpty && !optional.isEmpty
        var lines = ["", ""]
        if isMixed {
            lines += declaration("_\(record.name)", of: "TypedDict", nil, required, record)
            lines += ["", ""]
        }
        let parent = isMixed ? "_\(record.name)" : "TypedDict"
        return lines
            + declaration(
                record.name, of: optional.isEmpty ? parent : "\(parent), total=False",
                record.summary, isMixed || required.isEmpty ? optional : required, record)
    }

    private func declaration(
        _ name: String, of parent: String, _ summary: String?, _ fields: [ClientContract.Field],
        _ record: ClientContract.Record
    ) -> [String] {
        let odd = fields.filter { isOdd($0.name) }
        var lines: [String] = []
        var parents = parent
        if !odd.isEmpty {
            let isTotal = !parent.contains("total=False")
            lines.append("_\(name)Odd = TypedDict(")
            lines.append("    \"_\(name)Odd\",")
            let members = odd.map { "\"\($0.name)\": \"\(type($0.kind, record.isInput))\"" }
            lines.append("    {\(members.joined(separator: ", "))},")
            lines += (isTotal ? [] : ["    total=False,"]) + [")", "", ""]
            parents =
                parent.hasPrefix("TypedDict")
                ? parent.replacing("TypedDict", with: "_\(name)Odd") : "_\(name)Odd, \(parent)"
        }
        lines.append("class \(name)(\(parents)):")
        if let summary { lines.append("    \"\"\"\(summary)\"\"\"") }
        for field in fields where !isOdd(field.name) {
            if lines.last?.hasPrefix("class") != true { lines.append("") }
            lines += GeneratedText.wrapped(field.summary, prefix: "    #: ")
            lines.append("    \(field.name): \(type(field.kind, record.isInput))")
        }
        return lines
    }

    /// Whether a name cannot be that of a member of a class.
    private func isOdd(_ name: String) -> Bool {
        ["from", "in", "is", "class"].contains(name) || name.contains("-")
    }

    private func type(_ kind: ClientContract.Kind, _ isInput: Bool) -> String {
        switch kind {
        case .text: "str"
        case .flag: "bool"
        case .integer: "int"
        case .number: "float"
        case .any: "Any"
        case .map: "JSONObject"
        case .words(let name): isInput ? name : "Union[\(name), str]"
        case .list(let one): "\(isInput ? "Sequence" : "List")[\(type(one, isInput))]"
        case .record(let name): name
        case .nullable(let one): "Optional[\(type(one, isInput))]"
        case .either(let several):
            "Union[\(several.map { type($0, isInput) }.joined(separator: ", "))]"
        }
    }

    private var errorCodes: [String] {
        var lines = [
            "", "", "class ErrorCode(enum.IntEnum):",
            #"    """The codes of errors; ``code`` of a ``ServerError`` may also be one of later.""""#,
        ]
        for failure in contract.failures {
            lines += [""] + GeneratedText.wrapped("\(failure.message).", prefix: "    #: ")
            lines.append("    \(ClientContract.snake(failure.kind).uppercased()) = \(failure.code)")
        }
        return lines
    }
}

extension PythonTypes {
    private func lines(of call: ClientContract.Call) -> [String] {
        let fields = call.parameters.fields
        // What is required and the first of the others may go without a name.
        let required = fields.filter(\.isRequired).count
        var parameters: [String] = []
        for (index, field) in fields.enumerated() {
            if index == required + 1 { parameters.append("*") }
            let name = ClientContract.snake(field.name)
            let kind = argumentType(field.kind)
            parameters.append(
                field.isRequired ? "\(name): \(kind)" : "\(name): Optional[\(kind)] = None")
        }
        let result = named(call.result) ?? "JSONObject"
        var lines = GeneratedText.list(
            "def \(function(call))(", parameters, ") -> Request[\(result)]:", indent: "")
        lines.append("    \"\"\"\(call.summary).")
        if !call.description.isEmpty {
            lines += [""] + GeneratedText.wrapped(call.description, prefix: "    ")
        }
        if !fields.isEmpty { lines.append("") }
        for field in fields {
            let wrapped = GeneratedText.wrapped(
                "\(ClientContract.snake(field.name)): \(field.summary)", prefix: "      ")
            lines += wrapped.enumerated().map { $0 == 0 ? "    - " + $1.dropFirst(6) : $1 }
        }
        lines.append("    \"\"\"")
        return lines
            + GeneratedText.list("    return Request(", arguments(of: call), ")", indent: "    ")
    }

    private func arguments(of call: ClientContract.Call) -> [String] {
        let members = call.parameters.fields.map { field in
            let name = ClientContract.snake(field.name)
            let isKey = call.behaviour.hasKey && field.name == "key"
            return "\(field.name)=\(isKey ? "\(name) or fresh_key()" : name)"
        }
        var words = ["\"\(call.name)\""]
        if !members.isEmpty { words.append("given(\(members.joined(separator: ", ")))") }
        if !call.behaviour.isRepeatable { words.append("repeatable=False") }
        switch call.behaviour.patience {
        case .seconds(0): break
        case .seconds(let seconds): words.append("patience=\(seconds)")
        case .parameter(let name, let seconds):
            words.append("patience=\(seconds) if \(name) is None else \(name)")
        }
        return words
    }

    /// One function for all controls, typed by their names.
    private var controls: [String] {
        var lines: [String] = []
        for call in contract.controls {
            let name = call.name.dropFirst("test.".count)
            let isRequired = call.parameters.fields.contains(where: \.isRequired)
            let type =
                call.parameters.fields.isEmpty
                ? "Optional[JSONObject]"
                : isRequired ? "\(pascal(call))Params" : "Optional[\(pascal(call))Params]"
            lines += ["@overload"]
            lines += GeneratedText.list(
                "def test(",
                ["control: Literal[\"\(name)\"]", "params: \(type)\(isRequired ? "" : " = None")"],
                ") -> Request[\(named(call.result) ?? "JSONObject")]: ...", indent: "")
            lines += ["", ""]
        }
        let repeatable = contract.controls.filter(\.behaviour.isRepeatable)
            .map { "\"\($0.name.dropFirst("test.".count))\"" }
        return lines + [
            "def test(control: str, params: Optional[Mapping[str, Any]] = None) -> Request[Any]:",
            #"    """Sandbox: a control by its name, as in ``test("set", {"askToBuyEnabled": True})``.""""#,
            "    repeatable = control in (\(repeatable.joined(separator: ", ")))",
            #"    return Request(f"test.{control}", dict(params or {}), repeatable=repeatable)"#,
        ]
    }

    private func argumentType(_ kind: ClientContract.Kind) -> String {
        if case .any = kind { return "Any" }
        return type(kind, true)
    }

    private func usedWords(in calls: [ClientContract.Call]) -> [String] {
        calls.flatMap { $0.parameters.fields }.flatMap {
            type($0.kind, true).split { !$0.isLetter }
        }
        .map(String.init)
    }

    private func named(_ kind: ClientContract.Kind) -> String? {
        if case .record(let name) = kind { return name }
        return nil
    }

    private func pascal(_ call: ClientContract.Call) -> String { ClientContract.pascal(call.name) }

    private func function(_ call: ClientContract.Call) -> String {
        call.name == "rpc.discover" ? "discover" : ClientContract.snake(call.name)
    }
}
