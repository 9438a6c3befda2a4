import PaymentAPI

/// The command line as people type it, before it is taken apart.
enum CommandWords {
    /// The words with the socket behind the command, where each command takes it.
    static func arranged(_ words: [String]) -> [String] {
        guard let first = words.first else { return words }
        let length: Int
        switch first {
        case "--socket", "-s": length = 2
        case _ where first.hasPrefix("--socket="): length = 1
        default: return words
        }
        // Without a command there is nothing that could take it.
        guard words.count > length else { return words }
        let command = words.dropFirst(length)
        let end = command.firstIndex(of: "--") ?? command.endIndex
        return Array(command[..<end] + words.prefix(length) + command[end...])
    }

    /// The words that make a suggested command talk to the same daemon; empty if the command line
    /// names no socket.
    static func connection(_ words: [String]) -> String {
        let words = Array(words.prefix { $0 != "--" })
        var socket: String?
        for (index, word) in words.enumerated() {
            if word.hasPrefix("--socket=") {
                socket = String(word.dropFirst("--socket=".count))
            } else if word == "--socket" || word == "-s", index + 1 < words.count {
                socket = words[index + 1]
            }
        }
        return socket.map { " --socket \(Shell.quoted($0))" } ?? ""
    }

    /// What is wrong with a first word that is none of the commands, and what to type instead; nil
    /// where that is not known.
    static func correction(
        _ words: [String], commands: [String]
    ) -> (sentence: String, advice: String)? {
        guard let word = words.first, !word.hasPrefix("-"), !commands.contains(word) else {
            return nil
        }
        if Contract.names.contains(word) {
            return (
                "'\(word)' is a method of the daemon and has no command of its own",
                "type 'payqueuectl call \(word) name=value'; "
                    + "'payqueuectl call help method=\(word)' tells its parameters"
            )
        }
        if let known = familiar(word, commands: commands) { return known }
        guard let near = NearestName.find(word, in: commands) else { return nil }
        return (
            "there is no command '\(word)'; the nearest is '\(near)'",
            "type 'payqueuectl \(near)', or see 'payqueuectl --help'"
        )
    }

    /// The meaning of a name of StoreKit or OnsideKit, and what to type; nil for other names.
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
            return (sentence, "'payqueuectl call help method=\(method)' tells more")
        }
        return (sentence, "see 'payqueuectl --help'")
    }

    /// The meaning of an option that was refused and that StoreKit or OnsideKit has a name like.
    ///
    /// - Parameters:
    ///   - words: The command line.
    ///   - complaint: The sentence of the parser about it.
    /// - Returns: Nil if there is no such option among the words.
    static func familiarOption(_ words: [String], complaint: String) -> String? {
        for word in words where word.hasPrefix("--") {
            let option = word.prefix { $0 != "=" }
            guard complaint.contains("Unknown option '\(option)'") else { continue }
            return FamiliarNames.sentence(about: String(option.dropFirst(2)))
        }
        return nil
    }
}
