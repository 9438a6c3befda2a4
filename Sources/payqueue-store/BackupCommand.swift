import ArgumentParser
import PaymentCore
import PaymentStorage
import SandboxStorage
import StrictJSON

/// Writes a backup of the state.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a verified copy of the state.",
        usage: "payqueue-store backup --state-directory DIR",
        discussion: """
            Works with or without a running server. The copy is written to 'backups' in the state \
            directory and contains orders, sessions, merchants and keys. To restore it, stop the \
            server, move the state directory away, and copy the backup to its place.
            """)

    /// The maximum number of attempts when the server trims files before they are copied.
    private static let attempts = 5

    @Option(help: ArgumentHelp("The server's state directory.", valueName: "DIR"))
    var stateDirectory: String?

    @Flag(help: "Print JSON.")
    var json = false

    /// The server command; it parses the flags that both commands have, in any position.
    @ParentCommand var server: PayqueueStore

    func run() throws {
        let path = try StoreConfiguration.stateDirectory(
            given: stateDirectory, beside: server.options)
        let report = try write(SystemDisk(path: path, create: false), path)
        let place = "\(path)/\(report.path)"
        guard json else { return print("\(place): \(report.bytes) bytes") }
        let value: JSONValue = ["path": .string(place), "bytes": .integer(report.bytes)]
        print(value.jsonText())
    }

    private func write(_ state: any Disk, _ path: String) throws(StartFailure) -> BackupReport {
        var attempt = 1
        while true {
            do throws(BackupFailure) {
                return try SandboxFileJournal.backUp(
                    state, directories: ["sessions", "merchants", "keys"], at: .now)
            } catch {
                guard attempt < Self.attempts else {
                    throw .configuration("cannot back up '\(path)': \(error)")
                }
                attempt += 1
            }
        }
    }
}
