/// What the argument parser of a program says, as all of our programs say it.
public enum CommandLineText {
    /// A help page that begins with the example: it is what most people came for.
    ///
    /// - Parameter text: The page as the parser lays it out.
    /// - Returns: The page with the paragraph that shows how to use the command at the front.
    public static func help(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return text }
        let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
        let rest = lines[..<start] + lines[end...].dropFirst()
        return (lines[start..<end] + [""] + withoutMarginals(rest)).joined(separator: "\n")
    }

    /// What is wrong with a command line, and what to type instead.
    ///
    /// - Parameters:
    ///   - text: What the parser complains about, with its usage.
    ///   - program: The program that was called.
    ///   - forms: What a value may be, by the name that help gives it; the parser knows that only of
    ///     a choice of words.
    /// - Returns: Two lines: who cannot do what and why, and what to do next.
    public static func complaint(
        _ text: String, program: String, forms: [String: String] = [:]
    ) -> String {
        let mark = "Error: "
        guard text.hasPrefix(mark) else { return text }
        let lines = text.dropFirst(mark.count).split(separator: "\n")
        let notes = ["Usage: ", "Help: ", "  See '"]
        var reason = lines.prefix { line in !notes.contains { line.hasPrefix($0) } }
            .joined(separator: "\n")
        if let form = forms.first(where: { reason.hasSuffix("<\($0.key)>'") })?.value,
            reason.contains("' is invalid for '")
        {
            reason += ": \(form)"
        }
        let example = lines.first { $0.hasPrefix(notes[0]) }?.dropFirst(notes[0].count)
        let help = lines.first { $0.hasPrefix(notes[2]) }?.split(separator: "'").dropFirst().first
        return "\(program): cannot follow the command line: \(sentence(reason))\n"
            + "  Next: see '\(help ?? "\(program) --help")'"
            + (example.map { "; an example: \($0)" } ?? "")
    }

    /// Where the only options are --version and --help there is no room for them.
    private static func withoutMarginals(_ lines: ArraySlice<Substring>) -> ArraySlice<Substring> {
        guard lines.contains("SUBCOMMANDS:"), let start = lines.firstIndex(of: "OPTIONS:"),
            let end = lines[start...].firstIndex(of: ""),
            lines[start..<end].dropFirst().allSatisfy({
                $0.hasPrefix("  --version ") || $0.hasPrefix("  -h, --help ")
            })
        else { return lines }
        return lines[..<start] + lines[end...].dropFirst()
    }

    /// The reason as the end of a sentence.
    private static func sentence(_ reason: String) -> String {
        guard let first = reason.first, let last = reason.last else { return "it is empty." }
        let isName = reason.dropFirst().first?.isUppercase == true
        let start = isName ? reason : first.lowercased() + reason.dropFirst()
        return ".?!".contains(last) ? start : start + "."
    }
}
