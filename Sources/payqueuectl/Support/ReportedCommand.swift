import ArgumentParser
import StrictJSON

/// A command that asks the daemon for something, and can say what it was when that fails.
protocol ReportedCommand: ParsableCommand {
    /// The action and its object, to follow the word "cannot": `buy 'coins.100'`.
    var action: String { get }
    /// The command line that shows the help of the command.
    var help: String { get }
    /// The advice when the connection ended before the answer came; without a full stop.
    var afterLoss: String { get }
    /// The members that programs need after a failure, such as the key; nil for none.
    var data: JSONValue? { get }
}

extension ReportedCommand {
    var help: String { "payqueuectl \(Self.configuration.commandName ?? "") --help" }
    var afterLoss: String { "try again; 'payqueuectl doctor' checks the daemon" }
    var data: JSONValue? { nil }

    /// Names as people list them: `'a', 'b'`.
    func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }
}
