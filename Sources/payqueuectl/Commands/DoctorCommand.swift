import ArgumentParser
import Foundation
import PaymentClient
import StrictJSON

/// Looks for what keeps purchases from going through.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what keeps purchases from going through.",
        usage: "payqueuectl doctor",
        discussion: "Exit status: 0 nothing is wrong, 1 something is, 2 no connection.")

    @Flag(help: "Print each finding as a line of JSON.")
    var json = false

    @Option(help: ArgumentHelp("How long to wait for an answer.", valueName: "seconds"))
    var timeout = Seconds(5)

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        let answers = try await PaymentConnection.withConnection(
            to: connection.path, timeout: timeout.duration
        ) { daemon in
            (
                hello: try await daemon.call("hello", timeout: timeout.duration),
                status: try await daemon.call("status", timeout: timeout.duration),
                observers: try await daemon.call("observers", timeout: timeout.duration)
            )
        }
        let findings =
            [Finding(.good, "payqueued answers at '\(connection.path)'")]
            + Diagnosis.findings(
                hello: answers.hello, status: answers.status, observers: answers.observers,
                connection: connection.suggestion)
        for finding in findings { Console.line(json ? finding.jsonText : finding.line) }
        let faults = findings.count { $0.level == .bad }
        guard faults == 0 else {
            throw CommandFailure(
                .refused, "\(faults) \(faults == 1 ? "thing is" : "things are") wrong")
        }
    }
}

/// One thing that a check found.
struct Finding: Equatable {
    /// How bad it is.
    enum Level: String {
        /// As it should be.
        case good
        /// Works, but somebody may want to know.
        case notable
        /// Keeps purchases from going through, or will.
        case bad
    }

    let level: Level
    /// What is so, without a full stop.
    let sentence: String
    /// What to do, without a full stop.
    let advice: String?

    init(_ level: Level, _ sentence: String, advice: String? = nil) {
        self.level = level
        self.sentence = sentence
        self.advice = advice
    }

    /// For people.
    var line: String {
        let mark =
            switch level {
            case .good: Console.styled("ok  ", .good)
            case .notable: Console.styled("note", .busy)
            case .bad: Console.styled("bad ", .bad)
            }
        return "\(mark)  \(sentence)" + (advice.map { "\n      Next: \($0)" } ?? "")
    }

    /// For programs.
    var jsonText: String {
        (JSONValue.parameters([
            ("level", .string(level.rawValue)), ("sentence", .string(sentence)),
            ("advice", advice.map(JSONValue.string)),
        ]) ?? .null).jsonText()
    }
}
