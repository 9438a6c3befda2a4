import ArgumentParser
import PaymentClient
import StrictJSON

/// How a command asks the daemon and shows what it answered.
struct AnswerOptions: ParsableArguments {
    @Flag(help: "Print the daemon's answer as one line of JSON.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Print only that part of the answer, such as .queue or '.transactions[].id'.",
            valueName: "path"))
    var filter: AnswerFilter?

    @Option(help: ArgumentHelp("How long to wait for the answer.", valueName: "seconds"))
    var timeout = Seconds(30)

    @OptionGroup var connection: ConnectionOptions

    /// Calls one method on a connection of its own.
    func call(_ method: String, _ params: JSONValue? = nil) async throws -> JSONValue {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            try await daemon.call(method, params, timeout: timeout.duration)
        }
    }

    /// Calls one method on a connection of its own; the answer as it came, also if it is a refusal.
    func reply(to method: String, _ params: JSONValue? = nil) async throws -> DaemonReply {
        try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            try await daemon.reply(to: method, params, timeout: timeout.duration)
        }
    }

    /// Whether the answer goes out as it came, for programs.
    var isForPrograms: Bool { json || filter != nil }

    /// Shows an answer: as a program asked for it, else as the lines made for people, who are shown
    /// nothing that could forge a line.
    func show(_ answer: JSONValue, _ lines: (JSONValue) -> [String]) {
        if let filter {
            // A program takes a text as it is; a terminal would obey what is in it.
            filter.select(from: answer).map(AnswerFilter.text)
                .map { Console.isTerminal ? ScreenText.plainLines($0) : $0 }
                .forEach(Console.line)
        } else if json {
            Console.line(answer.jsonText())
        } else {
            lines(answer.plain).forEach(Console.line)
        }
    }
}

/// A command that is one call and its answer.
protocol AnswerCommand: AsyncParsableCommand, Errand {
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
        options.show(try await options.call(method, try parameters()), lines)
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
