import PaymentAPI

/// The command line before parsing.
enum CommandWords {
    /// The options that may precede the command, with whether they take a value.
    private static let leading = ["--socket": true, "-s": true, "--color": true, "--json": false]

    /// The words with the leading options moved after the command, which accepts them.
    static func arranged(_ words: [String]) -> [String] {
        var command = words[...]
        while let word = command.first, let length = length(of: word) {
            // Without a command, no parser could accept the options.
            guard command.count > length else { return words }
            command = command.dropFirst(length)
        }
        let options = words.prefix(words.count - command.count)
        let end = command.firstIndex(of: "--") ?? command.endIndex
        return Array(command[..<end] + options + command[end...])
    }

    /// The number of words of a leading option; nil for other words.
    private static func length(of word: String) -> Int? {
        if let takesValue = leading[word] { return takesValue ? 2 : 1 }
        return ["--socket=", "--color="].contains(where: word.hasPrefix) ? 1 : nil
    }

    /// Whether the command line contains `--json`.
    static func isForPrograms(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--json")
    }

    /// The last value of an option; nil if it is missing.
    static func value(of option: String, _ short: String? = nil, in words: [String]) -> String? {
        let words = Array(words.prefix { $0 != "--" })
        var value: String?
        for (index, word) in words.enumerated() {
            if word.hasPrefix(option + "=") {
                value = String(word.dropFirst(option.count + 1))
            } else if word == option || word == short, index + 1 < words.count {
                value = words[index + 1]
            }
        }
        return value
    }

    /// The connection options for suggested commands; empty without a socket option.
    static func connection(_ words: [String]) -> String {
        value(of: "--socket", "-s", in: words).map { " --socket \(Shell.quoted($0))" } ?? ""
    }

    /// The correction of an unknown command.
    ///
    /// - Parameters:
    ///   - word: The unknown word.
    ///   - commands: The possible commands at its position.
    ///   - parents: The commands before it; none for the first word.
    /// - Returns: A sentence and advice, without full stops.
    static func correction(
        _ word: String, commands: [String], after parents: [String] = []
    ) -> (sentence: String, advice: String) {
        let program = (["payqueuectl"] + parents).joined(separator: " ")
        if parents.isEmpty {
            if Contract.names.contains(word) {
                return (
                    "'\(word)' is a method of the daemon and has no command of its own",
                    "type 'payqueuectl call \(word) name=value'; "
                        + "'payqueuectl call help method=\(word)' lists its parameters"
                )
            }
            if let known = familiar(word, commands: commands) { return known }
        }
        let command = (parents + [word]).joined(separator: " ")
        guard let near = NearestName.find(word, in: commands) else {
            return ("there is no command '\(command)'", "see '\(program) --help'")
        }
        return (
            "there is no command '\(command)'; the nearest is '\(near)'",
            "type '\(program) \(near)', or see '\(program) --help'"
        )
    }

    /// The explanation of a StoreKit or OnsideKit name, with advice; nil for other names.
    static func familiar(
        _ name: String, commands: [String]
    ) -> (sentence: String, advice: String)? {
        guard let sentence = FamiliarNames.sentence(about: name) else { return nil }
        if let command = FamiliarNames.counterpart(of: name, among: commands) {
            return (
                sentence, "type 'payqueuectl \(command)', or see 'payqueuectl \(command) --help'"
            )
        }
        if let method = FamiliarNames.counterpart(of: name, among: Contract.names) {
            return (sentence, "'payqueuectl call help method=\(method)' explains it")
        }
        return (sentence, "see 'payqueuectl --help'")
    }

    /// The explanation of an unknown option that resembles a StoreKit or OnsideKit name.
    ///
    /// - Parameters:
    ///   - words: The command line.
    ///   - complaint: The parser's message about the option.
    /// - Returns: The explanation; nil if there is no such option.
    static func familiarOption(_ words: [String], complaint: String) -> String? {
        for word in words where word.hasPrefix("--") {
            let option = word.prefix { $0 != "=" }
            guard complaint.contains("nknown option '\(option)'") else { continue }
            return FamiliarNames.sentence(about: String(option.dropFirst(2)))
        }
        return nil
    }
}
