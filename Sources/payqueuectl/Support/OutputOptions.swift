import ArgumentParser
import StrictJSON

/// The output options of all commands with results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print results as lines of JSON, and errors too.")
    var json = false

    // `Console` reads this option from the raw command line, because parser errors are coloured
    // too.
    @Option(
        help: ArgumentHelp(
            "Use colour: auto, always or never.", valueName: "when", visibility: .hidden),
        completion: .list(ColourChoice.allCases.map(\.rawValue)))
    var color = ColourChoice.auto

    /// Prints a result: as JSON for programs, as lines for users.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - lines: Builds the lines from the result, whose text cannot forge a line.
    func show(_ result: JSONValue, _ lines: (JSONValue) -> [String]) {
        if json {
            Console.line(result.jsonText())
        } else {
            lines(result.plain).forEach(Console.line)
        }
    }
}

/// The use of colours in the output.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable {
    /// Colours on a terminal, unless `NO_COLOR` is set.
    case auto
    case always
    case never

    /// The choice on a command line; `auto` by default.
    static func named(in words: [String]) -> ColourChoice {
        CommandWords.value(of: "--color", in: words).flatMap(ColourChoice.init) ?? .auto
    }

    /// Whether standard output has colours.
    func isColourful(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
        }
    }
}

/// The options of table output.
struct TableOptions: ParsableArguments {
    @Flag(help: "Do not shorten the table to the width of the terminal.")
    var wide = false

    /// The maximum width of a table in columns; nil for any width.
    var columns: Int? { wide ? nil : Console.columns }
}
