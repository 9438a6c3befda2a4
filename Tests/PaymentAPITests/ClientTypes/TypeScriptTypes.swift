import StrictJSON

/// The generated files of the Node library.
struct TypeScriptTypes {
    let contract: ClientContract

    /// `contract.d.cts`: the types.
    var types: String {
        var file = GeneratedText()
        file.add(
            "/**", " * The types of the contract, written from it by a test: do not edit.", " *",
            " * Later daemons may add members, states and kinds: read those you know and let the others pass.",
            " */", "",
            "/** One of these words, or one of a later daemon. */",
            "export type Open<Words extends string> = Words | (string & {});", "")
        for list in contract.words {
            file.add(union(list))
        }
        for record in contract.records { file.add(lines(of: record)) }
        file.add(methods)
        file.add(controls)
        file.add(errorCodes)
        return file.text
    }

    /// `lib/contract.cjs`: how each method is carried out, and the codes of errors.
    var values: String {
        var file = GeneratedText()
        file.add(
            "\"use strict\";", "", "// Written from the contract by a test: do not edit.", "",
            "/** The release of the product that this is of. */",
            "exports.version = \"\(contract.version)\";", "",
            "/**",
            " * The methods of the daemon: whether a key goes with one, whether it is sent once only, and how",
            " * many seconds an answer may take beyond the usual.",
            " */", "exports.methods = {")
        for call in contract.plainCalls + contract.controls {
            var words: [String] = []
            if call.behaviour.hasKey { words.append("key: true") }
            if !call.behaviour.isRepeatable { words.append("once: true") }
            if call.behaviour.longestSeconds > 0 {
                words.append("patience: \(call.behaviour.longestSeconds)")
            }
            let name = call.name.contains(".") ? "\"\(call.name)\"" : call.name
            let value = words.isEmpty ? "{}" : "{ \(words.joined(separator: ", ")) }"
            file.add("  \(name): \(value),")
        }
        file.add(
            "};", "", "/** The codes of errors by their kinds. */",
            "exports.ErrorCode = Object.freeze({")
        for failure in contract.failures { file.add("  \(failure.kind): \(failure.code),") }
        file.add("});")
        return file.text
    }

    private func union(_ list: ClientContract.Words) -> [String] {
        let one = list.words.map { "\"\($0)\"" }
        let line = "export type \(list.name) = \(one.joined(separator: " | "));"
        if line.count <= 100 { return [line] }
        return ["export type \(list.name) ="] + one.dropLast().map { "  | \($0)" }
            + ["  | \(one.last ?? "");"]
    }

    private func lines(of record: ClientContract.Record) -> [String] {
        var lines = ["", "/** \(record.summary) */", "export interface \(record.name) {"]
        for field in record.fields {
            lines += comment(field.summary, indent: "  ")
            let mark = field.isRequired ? "" : "?"
            let name = field.name.contains("-") ? "\"\(field.name)\"" : field.name
            lines.append("  \(name)\(mark): \(type(field.kind, record.isInput));")
        }
        return lines + ["}"]
    }

    private func comment(_ text: String, indent: String) -> [String] {
        let one = "\(indent)/** \(text) */"
        if one.count <= 100 { return [one] }
        return ["\(indent)/**"] + GeneratedText.wrapped(text, prefix: "\(indent) * ")
            + ["\(indent) */"]
    }

    private func type(_ kind: ClientContract.Kind, _ isInput: Bool) -> String {
        switch kind {
        case .text: "string"
        case .flag: "boolean"
        case .integer, .number: "number"
        case .any: "unknown"
        case .map: "Record<string, unknown>"
        case .words(let name): isInput ? name : "Open<\(name)>"
        case .list(let one):
            type(one, isInput).contains("|")
                ? "(\(type(one, isInput)))[]" : "\(type(one, isInput))[]"
        case .record(let name): name
        case .nullable(let one): "\(type(one, isInput)) | null"
        case .either(let several): several.map { type($0, isInput) }.joined(separator: " | ")
        }
    }

    private var methods: [String] {
        var lines = [
            "", "/** How a call is made; see `PaymentQueue`. */",
            "export interface CallOptions { timeoutMs?: number }", "",
            "/** One method for each of the daemon. */", "export interface Methods {",
        ]
        for call in contract.plainCalls {
            lines += comment("\(call.summary). \(call.description)", indent: "  ")
            let name = call.name == "rpc.discover" ? "discover" : call.name
            let parameters =
                call.parameters.fields.isEmpty
                ? "params?: Record<string, never>"
                : call.parameters.fields.contains(where: \.isRequired)
                    ? "params: \(call.parameters.name)" : "params?: \(call.parameters.name)"
            lines.append(
                "  \(name)(\(parameters), options?: CallOptions): Promise<\(type(call.result, false))>;"
            )
        }
        return lines + ["}"]
    }

    private var controls: [String] {
        var lines = [
            "", "/** The controls of the sandbox: parameters and result of each. */",
            "export interface Controls {",
        ]
        for call in contract.controls {
            let name = call.name.dropFirst("test.".count)
            let parameters =
                call.parameters.fields.isEmpty ? "Record<string, never>" : call.parameters.name
            lines += comment("\(call.summary).", indent: "  ")
            lines.append(
                "  \"\(name)\": { params: \(parameters); result: \(type(call.result, false)) };")
        }
        return lines + ["}"]
    }

    private var errorCodes: [String] {
        var lines = [
            "", "/** The release of the product that this is of. */",
            "export const version: string;",
            "",
            "/** The codes of errors by their kinds. An error may also have a code of later. */",
            "export const ErrorCode: {",
        ]
        for failure in contract.failures {
            lines.append("  /** \(failure.message). */")
            lines.append("  readonly \(failure.kind): \(failure.code);")
        }
        return lines + ["};"]
    }
}
