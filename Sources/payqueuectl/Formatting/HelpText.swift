/// Help pages put the example first: it is what most people came for.
enum HelpText {
    /// Moves the paragraph that shows how to use a command to the front.
    static func leadingWithExample(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return text }
        let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
        let example = lines[start..<end]
        let rest = (lines[..<start] + lines[end...].dropFirst())
        return (example + [""] + withoutOptions(rest)).joined(separator: "\n")
    }

    /// On the page that lists the commands there is no room for --version and --help.
    private static func withoutOptions(_ lines: ArraySlice<Substring>) -> ArraySlice<Substring> {
        guard lines.contains("SUBCOMMANDS:"),
            let start = lines.firstIndex(of: "OPTIONS:"),
            let end = lines[start...].firstIndex(of: "")
        else { return lines }
        return lines[..<start] + lines[end...].dropFirst()
    }

    /// Says first who complains and about what.
    static func complaint(_ text: String) -> String {
        let prefix = "Error: "
        guard text.hasPrefix(prefix) else { return text }
        return "payqueuectl: cannot follow the command line: " + text.dropFirst(prefix.count)
    }
}
