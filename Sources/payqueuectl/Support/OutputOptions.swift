import ArgumentParser
import StrictJSON

/// How a command prints what it found. Every command that prints results has these options.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the result as one JSON object, and errors too.")
    var json = false

    // `Console` reads the choice from the command line: errors have a colour before anything is
    // parsed.
    @Option(
        help: ArgumentHelp(
            "Use colour: auto, always or never.", valueName: "when", visibility: .hidden))
    var color = ColourChoice.auto

    /// Prints a result: as it is for programs, as lines for people.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - lines: Makes the lines from the result, in which no text can forge a line.
    func show(_ result: JSONValue, _ lines: (JSONValue) -> [String]) {
        if json {
            Console.line(result.jsonText())
        } else {
            lines(result.plain).forEach(Console.line)
        }
    }
}

/// When output is coloured.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable {
    /// On a terminal, unless `NO_COLOR` is set.
    case auto
    case always
    case never

    /// The choice on a command line; `auto` if it has none.
    static func named(in words: [String]) -> ColourChoice {
        CommandWords.value(of: "--color", in: words).flatMap(ColourChoice.init) ?? .auto
    }

    /// Whether standard output gets colours.
    func isColourful(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }
}

/// How a command prints a table.
struct TableOptions: ParsableArguments {
    @Flag(help: "Do not shorten the table to the width of the terminal.")
    var wide = false

    /// How wide a table may be; nil for any width.
    var columns: Int? { wide ? nil : Console.columns }
}
