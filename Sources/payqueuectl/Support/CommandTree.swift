import ArgumentParser
import StrictJSON

/// The commands of this program, and the page that lists them.
enum CommandTree {
    private static let root = Payqueuectl.configuration

    /// The commands directly below the program.
    static let names = names(below: root)

    /// The page that a command line requests: the list of commands, or the explanation of a
    /// familiar name. Nil for any other command line.
    ///
    /// - Throws: ``CommandFailure`` for an unknown command.
    static func page(_ words: [String]) throws(CommandFailure) -> String? {
        if words.isEmpty || ["--help", "-h", "help"].contains(words.first), words.count < 2 {
            return overview
        }
        guard words.first == "help" else {
            try check(words[...])
            return nil
        }
        let name = words[1]
        if words.count == 2, !names.contains(name),
            let found = CommandWords.familiar(name, commands: names)
        {
            return "\(found.sentence)\n  Next: \(found.advice)"
        }
        try check(words.dropFirst())
        return nil
    }

    /// The help that a command line with `--json` asks for, as one JSON object; nil if it asks for
    /// something else.
    ///
    /// - Throws: ``CommandFailure`` for words that name no command.
    static func report(_ words: [String]) throws(CommandFailure) -> String? {
        guard CommandWords.isForPrograms(words) else { return nil }
        let given = words.prefix { $0 != "--" }.filter { $0 != "--json" }
        let isHelp = given.isEmpty || given.first == "help"
        guard isHelp || given.contains("--help") || given.contains("-h") else { return nil }
        let names = given.drop { $0 == "help" }.prefix { !$0.hasPrefix("-") }
        try check(names)
        var found = CommandReport(words: [root.commandName ?? ""], command: Payqueuectl.self)
        for name in names {
            guard let next = child(name, of: found.command.configuration) else { break }
            found = CommandReport(words: found.words + [name], command: next)
        }
        return found.value.jsonText()
    }

    /// Checks that the words up to the first option name a command.
    private static func check(_ words: ArraySlice<String>) throws(CommandFailure) {
        var commands = root
        var parents: [String] = []
        for word in words {
            let known = names(below: commands)
            guard !known.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = child(word, of: commands) else {
                if parents.isEmpty, word == "help" { return }
                let found = CommandWords.correction(word, commands: known, after: parents)
                throw CommandFailure(
                    .usage, "cannot parse the command line: \(found.sentence)",
                    advice: found.advice)
            }
            commands = next.configuration
            parents.append(word)
        }
    }

    private static func child(
        _ name: String, of configuration: CommandConfiguration
    ) -> (any ParsableCommand.Type)? {
        configuration.subcommands.first { $0.configuration.commandName == name }
    }

    private static func names(below configuration: CommandConfiguration) -> [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName }
    }

    /// All commands in their groups, one line each.
    static var overview: String {
        let usage = (root.usage ?? "").split(separator: "\n").joined(separator: "\n       ")
        var lines = ["USAGE: \(usage)", ""]
        for group in root.groupedSubcommands {
            lines.append("\(group.name):")
            lines += group.subcommands.map { command in
                let name = command.configuration.commandName ?? ""
                return "  " + ScreenText.padded(name, to: 16) + command.configuration.abstract
            }
        }
        return (lines + [root.discussion]).joined(separator: "\n")
    }
}
