import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// How a command asks the daemon and shows what it answered.
struct AnswerOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Print only this part, such as .queue or '.transactions[].id'.", valueName: "path"))
    var filter: AnswerFilter?

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    /// Runs a body with a connection of its own.
    func withDaemon<Result>(
        _ body: (PaymentConnection) async throws -> Result
    ) async throws -> Result {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration, body)
    }

    /// Whether the answer is printed for programs: as JSON, or a part of it.
    var isForPrograms: Bool { output.json || filter != nil }

    /// Checks that results of a method can have the part that `--filter` names. Called before the
    /// daemon is asked, so that a typing mistake changes nothing.
    ///
    /// - Throws: ``CommandFailure`` that names the nearest member.
    func checkFilter(of method: String) throws(CommandFailure) {
        guard let filter, let shape = ResultShape(resultOf: method),
            let unknown = filter.unknownMember(in: shape)
        else { return }
        let near = unknown.nearest.map { "; the nearest is '\($0)'" } ?? ""
        throw CommandFailure(
            .usage, "cannot filter the result: it never has '\(unknown.path)'\(near)",
            advice: "see the whole result with '--json'")
    }

    /// Shows an answer: as a program asked for it, else as the lines made for people, who are shown
    /// nothing that could forge a line.
    func show(_ answer: JSONValue, _ lines: (JSONValue) -> [String]) {
        guard let filter else { return output.show(answer, lines) }
        // A program takes a text as it is; a terminal would obey what is in it.
        filter.select(from: answer).map(AnswerFilter.text)
            .map { Console.isTerminal ? ScreenText.plainLines($0) : $0 }
            .forEach(Console.line)
    }
}

/// A command that is one call and its answer.
protocol AnswerCommand: AsyncParsableCommand, ReportedCommand {
    /// How to ask and to show.
    var options: AnswerOptions { get }
    /// The method to call.
    var method: String { get }
    /// Its parameters; nil for none.
    func parameters() throws -> JSONValue?
    /// The answer for people.
    func lines(_ answer: JSONValue) -> [String]
}

extension AnswerCommand {
    func parameters() throws -> JSONValue? { nil }

    mutating func run() async throws {
        try options.checkFilter(of: method)
        let given = try parameters()
        let answer = try await options.withDaemon { daemon in
            let params = try await Identifiers(daemon, timeout: options.timeout.duration)
                .resolved(given, action: action)
            return try await daemon.call(method, params, timeout: options.timeout.duration)
        }
        options.show(answer, lines)
    }
}

extension JSONValue {
    /// An object of the members that have a value; nil if none has.
    static func parameters(_ members: [(String, JSONValue?)]) -> JSONValue? {
        let given = members.compactMap { name, value in
            value.map { JSONMember(name: name, value: $0) }
        }
        return given.isEmpty ? nil : .object(given)
    }

    /// An array of texts; nil if there are none.
    static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
    }
}
