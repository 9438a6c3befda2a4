import ArgumentParser
import StrictJSON

/// A command and all its arguments, as the object that `help --json` prints.
struct CommandReport {
    /// The name of the program and the names of the commands down to this one.
    let words: [String]
    /// The command.
    let command: any ParsableCommand.Type

    /// The object. It contains the subcommands with all their arguments.
    var value: JSONValue {
        let configuration = command.configuration
        let summary = JSONValue.string(configuration.abstract)
        let lines = (configuration.usage ?? "").split(separator: "\n").map(String.init)
        let arguments = self.arguments
        let members: [(String, JSONValue?)] = [
            ("command", .string(words.joined(separator: " "))),
            ("summary", summary),
            ("description", Self.text(configuration.discussion)),
            ("examples", .texts(lines.filter { !Self.isForm($0) })),
            ("forms", .texts(lines.filter(Self.isForm))),
            ("arguments", Self.list(arguments.filter(Self.isPositional).map(Self.argument))),
            ("options", Self.list(arguments.filter { !Self.isPositional($0) }.map(Self.option))),
            ("commands", Self.list(below.map(\.value))),
        ]
        return .parameters(members) ?? .null
    }

    private var below: [CommandReport] {
        command.configuration.subcommands.compactMap { inner in
            guard inner.configuration.shouldDisplay else { return nil }
            return CommandReport(
                words: words + [inner.configuration.commandName ?? ""], command: inner)
        }
    }

    /// The parser's own description of each argument that is shown to users.
    private var arguments: [JSONValue] {
        let dump = try? JSONValue(parsing: command._dumpHelp().utf8, limits: .trusted)
        return (dump?["command"]?["arguments"]?.arrayValue ?? []).filter {
            $0["shouldDisplay"]?.boolValue != false
        }
    }

    /// Whether a line of the usage has placeholders, and is not an example.
    private static func isForm(_ line: String) -> Bool {
        line.contains { "<[(".contains($0) }
    }

    private static func isPositional(_ argument: JSONValue) -> Bool {
        argument["kind"]?.stringValue == "positional"
    }

    private static func argument(_ argument: JSONValue) -> JSONValue {
        let required = argument["isOptional"]?.boolValue != true
        let members: [(String, JSONValue?)] = [
            ("name", argument["valueName"]), ("required", .bool(required)),
        ]
        return .parameters(members + facts(of: argument)) ?? .null
    }

    private static func option(_ argument: JSONValue) -> JSONValue {
        let names = (argument["names"]?.arrayValue ?? []).compactMap(CommandPage.spelled)
        let takesValue = argument["kind"]?.stringValue == "option"
        let members: [(String, JSONValue?)] = [
            ("names", .texts(names)), ("value", takesValue ? argument["valueName"] : nil),
        ]
        return .parameters(members + facts(of: argument)) ?? .null
    }

    private static func facts(of argument: JSONValue) -> [(String, JSONValue?)] {
        let repeats = argument["isRepeating"]?.boolValue == true
        return [
            ("summary", argument["abstract"]), ("default", argument["defaultValue"]),
            ("values", argument["allValues"]), ("repeats", repeats ? .bool(true) : nil),
        ]
    }

    private static func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

    private static func list(_ values: [JSONValue]) -> JSONValue? {
        values.isEmpty ? nil : .array(values)
    }
}
