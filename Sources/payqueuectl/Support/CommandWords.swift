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
}
