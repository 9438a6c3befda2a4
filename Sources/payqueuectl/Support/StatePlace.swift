import ArgumentParser
import PaymentStorage

/// The state directory option of commands that read the daemon's files.
struct StatePlace: ParsableArguments {
    @Option(
        help: ArgumentHelp("The daemon's state directory.", valueName: "directory"),
        completion: .directory)
    var stateDirectory: String?

    /// The directory of the option, or the default directory of this user's daemon.
    func path() throws -> String {
        if let stateDirectory { return stateDirectory }
        if let named = Console.environment("PAYQUEUED_STATE_DIRECTORY"), !named.isEmpty {
            return named
        }
        if let managed = Console.environment("STATE_DIRECTORY")?.split(separator: ":").first {
            return String(managed)
        }
        if let home = Console.environment("XDG_STATE_HOME"), !home.isEmpty {
            return "\(home)/payqueued"
        }
        guard let home = Console.environment("HOME"), !home.isEmpty else {
            throw CommandFailure(
                .usage, "cannot find the state directory: neither HOME nor a variable names one",
                advice: "name it with --state-directory")
        }
        return "\(home)/.local/state/payqueued"
    }

    /// The directories of the journals in a state directory: the queue's own, and that of a store server
    /// or of a store of an earlier version, if it exists.
    static func journals(in path: String) -> [String] {
        guard let disk = try? SystemDisk(path: path, create: false),
            let names = try? JournalRepair.journals(of: disk)
        else { return [path] }
        return [path] + names.filter { !$0.isEmpty }.map { "\(path)/\($0)" }
    }

    /// Opens a directory for reading; a failure ends the command with a status.
    static func disk(
        _ path: String, advice: String = "name the state directory with --state-directory",
        failing status: ExitStatus = .refused
    ) throws -> SystemDisk {
        do {
            return try SystemDisk(path: path, create: false)
        } catch {
            throw CommandFailure(
                status, "cannot open '\(path)': \(error.reason)", advice: advice,
                kind: status == .unreadable ? ExitStatus.unreadableKind : nil)
        }
    }
}
