import ArgumentParser
import StrictJSON

/// A command that can describe its attempt for an error message.
protocol ReportedCommand: ParsableCommand {
    /// The action and its object, which follow "cannot": `buy 'coins.100'`.
    var action: String { get }
    /// The command line that shows the help of the command.
    var help: String { get }
    /// The advice after a lost connection without an answer, without a full stop.
    var afterLoss: String { get }
    /// The members for programs after a failure, such as the key; nil for none.
    var data: JSONValue? { get }
}

extension ReportedCommand {
    var help: String { "payqueuectl \(Self.configuration.commandName ?? "") --help" }
    var afterLoss: String { "try again; 'payqueuectl doctor' checks the daemon" }
    var data: JSONValue? { nil }

    /// A list of quoted names: `'a', 'b'`.
    func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }
}
