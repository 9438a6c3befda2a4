import ArgumentParser
import PaymentCore
import PaymentStorage
import StrictJSON

/// Makes a state directory of a backup.
struct RestoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-backup",
        abstract: "Make a state directory of a backup.",
        usage: """
            payqueuectl restore-backup /mnt/backup --state-directory ./state
            payqueuectl restore-backup <backup> [--state-directory <dir>] [--replace]
            """,
        discussion: """
            The backup is verified first, and no daemon may be running on the directory. The store \
            begins under a new name: observers that remember a place in the old log are told so. \
            What was in the directory is moved to its quarantine, never deleted.
            """)

    @Argument(help: "The backup's directory.", completion: .directory)
    var backup: String

    @Flag(help: "Go on although the directory holds a store already.")
    var replace = false

    @Flag(help: "Print the report as one line of JSON.")
    var json = false

    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        let source = try StatePlace.disk(backup, advice: "name the directory of a backup")
        let verified: BackupInstaller.Verified
        do {
            verified = try BackupInstaller.verify(source)
        } catch {
            throw CommandFailure(
                .refused, "\(JournalText.words(error.description)) (in '\(backup)')",
                advice:
                    "see 'payqueuectl journal verify --state-directory \(Shell.quoted(backup))'")
        }
        if let conflict = BackupPlace.conflict(
            backup: BackupPlace.resolved(backup), target: BackupPlace.resolved(path))
        {
            throw CommandFailure(
                .refused, "cannot restore '\(backup)' into '\(path)': \(conflict)",
                advice: "copy the backup to a directory apart from it, or into its 'backups', and "
                    + "restore that copy")
        }
        // Only now: a backup that is refused leaves no trace.
        let directory: StateDirectory
        do {
            directory = try StateDirectory(
                path: path, identity: .current(program: "payqueuectl"),
                started: StorageEnvironment.system.now())
        } catch {
            throw CommandFailure(
                .refused, "cannot restore into '\(path)': \(error)",
                advice: "stop the daemon that uses it, and check who may write there")
        }
        let report: BackupInstaller.Report
        do {
            report = try BackupInstaller.install(verified, into: directory, settingAside: replace)
        } catch {
            throw CommandFailure(
                .refused, JournalText.words(error.description),
                advice: error.isOccupied
                    ? "name another directory, or move what is there aside with '--replace'"
                    : "mend what stands there, then restore again")
        }
        show(report, path: path)
    }

    private func show(_ report: BackupInstaller.Report, path: String) {
        guard !json else {
            let answer = JSONValue.parameters([
                ("stateDirectory", .string(path)), ("store", .string(report.store.description)),
                ("epoch", .string(report.epoch)), ("seq", .integer(report.sequence)),
                ("setAside", report.setAside.map(JSONValue.string)),
            ])
            return Console.line((answer ?? .null).jsonText())
        }
        Console.line("\(path): restored up to record \(report.sequence), epoch \(report.epoch)")
        if let aside = report.setAside {
            Console.line("what was there before is in '\(path)/\(aside)'")
        }
    }
}
