import StrictJSON

/// The generated file of the Rust library.
struct RustTypes {
    let contract: ClientContract

    /// `contract.rs`.
    var types: String {
        var file = GeneratedText()
        file.add(
            "//! The types and calls of the contract. Written from it by a test: do not edit.",
            "//!",
            "//! Later daemons may add members, states and kinds: members that are not known are left out,",
            "//! words that are not known are `Other`.", "",
            "use serde::{Deserialize, Serialize};", "use serde_json::{Map, Value};", "",
            "use crate::client::{Call, Client};", "use crate::errors::Error;",
            "use crate::files::fresh_key;", "use crate::words::words;")
        for list in contract.words {
            file.add("", "words! {", "    \(list.name) {")
            for word in list.words {
                file.add("        \(ClientContract.pascal(word)) = \"\(word)\",")
            }
            file.add("    }", "}")
        }
        for record in contract.records { file.add(lines(of: record)) }
        file.add(notifications)
        file.add("", "impl Client {")
        for (index, call) in contract.typedCalls.enumerated() {
            if index > 0 { file.add("") }
            file.add(lines(of: call))
        }
        file.add(
            "}", "", "/// The codes of errors. A later daemon may have others.", "pub mod code {")
        for failure in contract.failures {
            file.add("    /// \(failure.message).")
            let name = ClientContract.snake(failure.kind).uppercased()
            file.add("    pub const \(name): i64 = \(failure.code);")
        }
        file.add("}")
        return file.text
    }

    private func lines(of record: ClientContract.Record) -> [String] {
        let canDefault = record.fields.allSatisfy { !$0.isRequired || hasDefault($0.kind) }
        let derived =
            ["Clone", "Debug"] + (canDefault ? ["Default"] : []) + [
                "Deserialize", "PartialEq", "Serialize",
            ]
        var lines = [
            "", "/// \(record.summary)", "#[derive(\(derived.joined(separator: ", ")))]",
            "#[serde(rename_all = \"camelCase\")]", "pub struct \(record.name) {",
        ]
        for field in record.fields {
            lines += GeneratedText.wrapped(field.summary, prefix: "    /// ")
            let name = ClientContract.snake(field.name)
            if field.name.contains("-") {
                lines.append("    #[serde(rename = \"\(field.name)\")]")
            }
            if !field.isRequired {
                lines.append("    #[serde(skip_serializing_if = \"Option::is_none\")]")
            }
            lines.append("    pub \(escaped(name)): \(type(of: field)),")
        }
        return lines + ["}"]
    }

    private func hasDefault(_ kind: ClientContract.Kind) -> Bool {
        switch kind {
        case .words, .record: false
        case .text, .flag, .integer, .number, .any, .map, .list, .nullable, .either: true
        }
    }

    private func type(of field: ClientContract.Field) -> String {
        if case .nullable = field.kind { return type(field.kind) }
        return field.isRequired ? type(field.kind) : "Option<\(type(field.kind))>"
    }

    private func type(_ kind: ClientContract.Kind) -> String {
        switch kind {
        case .text: "String"
        case .flag: "bool"
        case .integer: "i64"
        case .number: "f64"
        case .any, .either: "Value"
        case .map: "Map<String, Value>"
        case .words(let name): name
        case .list(let one): "Vec<\(type(one))>"
        case .record(let name): name
        case .nullable(let one): "Option<\(type(one))>"
        }
    }

    private var notifications: [String] {
        var lines = [
            "", "/// Something the daemon sent without being asked.",
            "#[derive(Clone, Debug, PartialEq)]",
            "pub enum Notification {", "    /// Subscribed, which this library says by itself.",
            "    Opened(SubscribeResult),",
        ]
        for notice in contract.notices {
            lines += [
                "    /// \(notice.summary).",
                "    \(ClientContract.pascal(notice.name))(Box<\(notice.record)>),",
            ]
        }
        lines += [
            "    /// A notification of a later daemon.",
            "    Other { method: String, params: Value },",
            "}", "", "impl Notification {",
            "    pub(crate) fn read(method: String, params: Value) -> serde_json::Result<Notification> {",
            "        Ok(match method.as_str() {",
        ]
        for notice in contract.notices {
            let variant = ClientContract.pascal(notice.name)
            lines.append(
                "            \"\(notice.name)\" => Notification::\(variant)(serde_json::from_value(params)?),"
            )
        }
        return lines + [
            "            _ => Notification::Other { method, params },", "        })", "    }", "}",
        ]
    }

    private func lines(of call: ClientContract.Call) -> [String] {
        let name = call.name == "rpc.discover" ? "discover" : ClientContract.snake(call.name)
        let behaviour = call.behaviour
        let hasParameters = !call.parameters.fields.isEmpty
        var lines = GeneratedText.wrapped("\(call.summary).", prefix: "    /// ")
        if !call.description.isEmpty {
            lines += ["    ///"] + GeneratedText.wrapped(call.description, prefix: "    /// ")
        }
        let parameters = ["&self"] + (hasParameters ? ["params: &\(call.parameters.name)"] : [])
        let result = "-> Result<\(type(call.result)), Error> {"
        let one = "    pub fn \(name)(\(parameters.joined(separator: ", "))) \(result)"
        lines +=
            one.count <= 100
            ? [one]
            : ["    pub fn \(name)("] + parameters.map { "        \($0)," } + ["    ) \(result)"]
        var given = hasParameters ? "params" : "&Map::new()"
        if behaviour.hasKey {
            lines += [
                "        let mut params = params.clone();",
                "        params.key.get_or_insert_with(fresh_key);",
            ]
            given = "&params"
        }
        return lines + [
            "        let call = Call::new(\"\(call.name)\", \(behaviour.isRepeatable), "
                + "\(behaviour.longestSeconds));",
            "        self.invoke(call, \(given))", "    }",
        ]
    }

    private func escaped(_ name: String) -> String {
        ["type", "use", "ref", "in"].contains(name) ? "r#\(name)" : name
    }
}
