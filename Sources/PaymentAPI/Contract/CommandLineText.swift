/// The texts of the argument parser, in a common form for all programs of payqueued.
public enum CommandLineText {
    /// Moves the usage of a help page to its front, because most users look for it first.
    ///
    /// - Parameter text: The help page of the parser.
    /// - Returns: The page, beginning with the usage.
    public static func help(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("USAGE: ") }) else { return text }
        let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
        let rest = lines[..<start] + lines[end...].dropFirst()
        return (lines[start..<end] + [""] + withoutMarginals(rest)).joined(separator: "\n")
    }

    /// The error text for a command line, with the next step.
    ///
    /// - Parameters:
    ///   - text: The parser's error, with its usage.
    ///   - program: The name of the program.
    ///   - forms: The accepted forms of values, by their names in the help page. The parser itself
    ///     lists only choices of words.
    /// - Returns: Two lines: the cause and the next step.
    public static func complaint(
        _ text: String, program: String, forms: [String: String] = [:]
    ) -> String {
        guard text.hasPrefix(mark) else { return text }
        let found = reason(text, program: program, forms: forms)
        let end = found.sentence.last.map { ".?!".contains($0) } == true ? "" : "."
        return "\(program): cannot parse the command line: \(found.sentence)\(end)\n"
            + "  Next: \(found.advice)"
    }

    /// The two parts of an error text, for other formats.
    ///
    /// - Parameters:
    ///   - text: The parser's error, with its usage.
    ///   - program: The name of the program.
    ///   - forms: The accepted forms of values, by their names in the help page.
    /// - Returns: The cause and the next step, without full stops.
    public static func reason(
        _ text: String, program: String, forms: [String: String] = [:]
    ) -> (sentence: String, advice: String) {
        let lines = text.dropFirst(text.hasPrefix(mark) ? mark.count : 0).split(separator: "\n")
        let notes = ["Usage: ", "Help: ", "  See '"]
        var reason = lines.prefix { line in !notes.contains { line.hasPrefix($0) } }
            .joined(separator: "\n")
        if !reason.contains(". Please provide one of ") {
            reason = reason.split(separator: "\n").joined(separator: " ")
        }
        if let form = forms.first(where: { reason.hasSuffix("<\($0.key)>'") })?.value,
            reason.contains("' is invalid for '")
        {
            reason += ": \(form)"
        }
        reason = naming(reason)
        let example = example(in: lines, after: notes[0])
        let help = lines.first { $0.hasPrefix(notes[2]) }?.split(separator: "'").dropFirst().first
        return (
            sentence(reason),
            "see '\(help ?? "\(program) --help")'" + (example.map { "; an example: \($0)" } ?? "")
        )
    }

    /// The first command of the usage, with the lines that continue it.
    private static func example(in lines: [Substring], after mark: String) -> String? {
        guard let start = lines.firstIndex(where: { $0.hasPrefix(mark) }) else { return nil }
        var example = String(lines[start].dropFirst(mark.count))
        for line in lines[(start + 1)...] {
            guard example.hasSuffix(" \\") else { break }
            example.removeLast()
            example += line.drop { $0 == " " }
        }
        return example
    }

    private static let mark = "Error: "

    /// Puts the accepted words of a parser's reason on one line and adds the nearest one. Other
    /// reasons are unchanged.
    private static func naming(_ reason: String) -> String {
        guard let range = reason.firstRange(of: ". Please provide one of "),
            let given = reason.split(separator: "'", maxSplits: 2).dropFirst().first
        else { return reason }
        let list = reason[range.upperBound...]
        let words =
            list.contains("\n")
            ? list.split(separator: "\n").dropFirst().map { String($0.dropFirst("  - ".count)) }
            : list.split(separator: "'").enumerated().filter { $0.offset % 2 == 0 }
                .map { String($0.element) }.filter { $0 != "." }
        let near = NearestName.find(String(given), in: words).map { "; the nearest is '\($0)'" }
        return reason[..<range.lowerBound] + ": expected one of "
            + words.map { "'\($0)'" }.joined(separator: ", ") + (near ?? "")
    }

    /// Removes the options section if it has only `--version` and `--help`.
    private static func withoutMarginals(_ lines: ArraySlice<Substring>) -> ArraySlice<Substring> {
        guard lines.contains("SUBCOMMANDS:"), let start = lines.firstIndex(of: "OPTIONS:"),
            let end = lines[start...].firstIndex(of: ""),
            lines[start..<end].dropFirst().allSatisfy({
                $0.hasPrefix("  --version ") || $0.hasPrefix("  -h, --help ")
            })
        else { return lines }
        return lines[..<start] + lines[end...].dropFirst()
    }

    /// The reason as the second half of a sentence, without a full stop.
    private static func sentence(_ reason: String) -> String {
        guard let first = reason.first else { return "empty argument" }
        let isName = reason.dropFirst().first?.isUppercase == true
        let start = isName ? reason : first.lowercased() + reason.dropFirst()
        return start.hasSuffix(".") ? String(start.dropLast()) : start
    }
}
