import ArgumentParser
import StrictJSON

/// A command that asks the daemon for something, and can say what it was when that fails.
protocol Errand: ParsableCommand {
    /// What was tried and on what, to follow the word "cannot": `buy 'coins.100'`.
    var errand: String { get }
    /// What to type to learn what the command takes.
    var help: String { get }
    /// What to do when the connection ended before the answer came; without a full stop.
    var afterLoss: String { get }
    /// What programs need to go on after a failure, such as the key; nil for nothing.
    var data: JSONValue? { get }
}

extension Errand {
    var help: String { "payqueuectl \(Self.configuration.commandName ?? "") --help" }
    var afterLoss: String { "try again; 'payqueuectl doctor' checks the daemon" }
    var data: JSONValue? { nil }

    /// Names as people list them: `'a', 'b'`.
    func quoted(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }
}
