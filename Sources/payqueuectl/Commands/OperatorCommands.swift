import ArgumentParser
import PaymentClient
import StrictJSON

/// Stops accepting new purchases; all other work continues.
struct DrainCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Stop accepting new purchases; 'off' resumes.",
        usage: """
            payqueuectl drain
            payqueuectl drain off
            """,
        discussion: "Accepted purchases and all other calls continue.")

    enum Word: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @Argument(help: "on or off.")
    var word = Word.on

    @OptionGroup var options: AnswerOptions

    var method: String { "drain" }
    var action: String { "turn draining \(word.rawValue)" }

    func parameters() -> JSONValue? { ["on": .bool(word == .on)] }

    func lines(_ answer: JSONValue) -> [String] { [answer["state"]?.stringValue ?? "done"] }
}

/// Reloads the configuration.
struct ReloadCommand: AnswerCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Reload the daemon's configuration and catalogue.",
        usage: "payqueuectl reload")

    @OptionGroup var options: AnswerOptions

    var method: String { "reload" }
    var action: String { "reload the configuration" }

    func lines(_ answer: JSONValue) -> [String] {
        let changed = answer["changed"]?.arrayValue?.map(AnswerFilter.text) ?? []
        return changed.isEmpty ? ["nothing has changed"] : changed.map { "changed: \($0)" }
    }
}

/// Backs up the state.
struct BackupCommand: AsyncParsableCommand, ReportedCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up the daemon's state while it runs.",
        usage: "payqueuectl backup",
        discussion: """
            Writes a verified copy below the state directory and prints its path. \
            'payqueuectl restore-backup' restores it.
            """)

    @OptionGroup var options: AnswerOptions

    var action: String { "back up the state" }

    func run() async throws {
        try options.checkFilter(of: "backup")
        let answer = try await ProgressLine.timing("backing up") {
            try await options.withDaemon { daemon in
                try await daemon.call("backup", timeout: options.timeout.duration)
            }
        }
        options.show(answer, lines)
    }

    private func lines(_ answer: JSONValue) -> [String] {
        let path = answer["path"]?.stringValue ?? "?"
        let seq = answer["seq"]?.intValue.map { ", up to record \($0)" } ?? ""
        let bytes = answer["bytes"]?.intValue.map { ", \($0) bytes" } ?? ""
        return ["\(path)\(seq)\(bytes)"]
    }
}
