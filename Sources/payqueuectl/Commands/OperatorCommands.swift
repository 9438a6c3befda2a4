import ArgumentParser
import StrictJSON

/// Refuses new purchases while the rest goes on.
struct DrainCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Refuse new purchases; 'off' takes it back.",
        usage: "payqueuectl drain on",
        discussion: "Everything else goes on.")

    /// On or off.
    enum Word: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @Argument(help: "on or off.")
    var word = Word.on

    @OptionGroup var options: AnswerOptions

    var method: String { "drain" }
    var errand: String { "turn draining \(word.rawValue)" }

    func parameters() -> JSONValue? { ["on": .bool(word == .on)] }

    func lines(_ answer: JSONValue) -> [String] { [answer["state"]?.stringValue ?? "done"] }
}

/// Reads the configuration again.
struct ReloadCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Let the daemon read its configuration again.",
        usage: "payqueuectl reload")

    @OptionGroup var options: AnswerOptions

    var method: String { "reload" }
    var errand: String { "reload the configuration" }

    func lines(_ answer: JSONValue) -> [String] {
        let changed = answer["changed"]?.arrayValue?.map(AnswerFilter.text) ?? []
        return changed.isEmpty ? ["nothing changed"] : changed.map { "changed: \($0)" }
    }
}

/// Makes a copy of the state.
struct BackupCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Let the daemon make a verified copy of its state.",
        usage: "payqueuectl backup",
        discussion: "'payqueuectl restore-backup' makes a state directory of it.")

    @OptionGroup var options: AnswerOptions

    var method: String { "backup" }
    var errand: String { "back the state up" }

    func lines(_ answer: JSONValue) -> [String] {
        let path = answer["path"]?.stringValue ?? "?"
        let seq = answer["seq"]?.intValue.map { ", up to record \($0)" } ?? ""
        let bytes = answer["bytes"]?.intValue.map { ", \($0) bytes" } ?? ""
        return ["\(path)\(seq)\(bytes)"]
    }
}
