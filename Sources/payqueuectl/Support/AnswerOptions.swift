import ArgumentParser
import PaymentAPI
import PaymentClient
import StrictJSON

/// The options of a call: output format, timeout and connection.
struct AnswerOptions: ParsableArguments {
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "Print only this part, such as .queue or '.transactions[].id'.", valueName: "path"))
    var filter: AnswerFilter?

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    /// Runs a body with a new connection.
    func withDaemon<Result>(
        _ body: (PaymentConnection) async throws -> Result
    ) async throws -> Result {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration, body)
    }

    /// Whether the output is for programs: JSON, or a part of the answer.
    var isForPrograms: Bool { output.json || filter != nil }

    /// Checks that results of a method can have the part selected by `--filter`. It runs before the
    /// call, so that a typing error has no effect.
    ///
    /// - Throws: ``CommandFailure`` with the nearest member name.
    func checkFilter(of method: String) throws(CommandFailure) {
        guard let filter, let shape = ResultShape(resultOf: method),
            let unknown = filter.unknownMember(in: shape)
        else { return }
        let near = unknown.nearest.map { "; the nearest is '\($0)'" } ?? ""
        throw CommandFailure(
            .usage, "cannot filter the result: it never has '\(unknown.path)'\(near)",
            advice: "see the whole result with '--json'")
    }

    /// Prints an answer: filtered or as JSON for programs, else as lines for users. Text in those
    /// lines cannot forge a line.
    func show(_ answer: JSONValue, _ lines: (JSONValue) -> [String]) {
        guard let filter else { return output.show(answer, lines) }
        // Programs receive text unchanged; on a terminal, control characters are replaced.
        filter.select(from: answer).map(AnswerFilter.text)
            .map { Console.isTerminal ? ScreenText.plainLines($0) : $0 }
            .forEach(Console.line)
    }
}

/// A command with one call and its answer.
protocol AnswerCommand: AsyncParsableCommand, ReportedCommand {
    var options: AnswerOptions { get }
    /// The method to call.
    var method: String { get }
    /// Its parameters; nil for none.
    func parameters() throws -> JSONValue?
    /// The lines for users.
    func lines(_ answer: JSONValue) -> [String]
}

extension AnswerCommand {
    func parameters() throws -> JSONValue? { nil }

    mutating func run() async throws {
        try options.checkFilter(of: method)
        let given = try parameters()
        let answer = try await options.withDaemon { daemon in
            let params = try await Identifiers(daemon, timeout: options.timeout.duration)
                .resolved(given, of: method, action: action)
            return try await daemon.call(method, params, timeout: options.timeout.duration)
        }
        options.show(answer, lines)
    }
}

extension JSONValue {
    /// An object of the members that have a value; nil if none has one.
    static func parameters(_ members: [(String, JSONValue?)]) -> JSONValue? {
        let given = members.compactMap { name, value in
            value.map { JSONMember(name: name, value: $0) }
        }
        return given.isEmpty ? nil : .object(given)
    }

    /// An array of strings; nil if it is empty.
    static func texts(_ texts: [String]) -> JSONValue? {
        texts.isEmpty ? nil : .array(texts.map(JSONValue.string))
    }
}
