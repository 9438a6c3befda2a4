import ArgumentParser
import PaymentCore
import PaymentStorage
import StrictJSON

/// Restores a backup.
struct RestoreBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-backup",
        abstract: "Restore a backup into a state directory.",
        usage: """
            payqueuectl restore-backup /mnt/backup --state-directory ./state
            payqueuectl restore-backup <backup> [--state-directory <dir>] [--replace]
            """,
        discussion: """
            Verifies the backup first. No daemon may use the state directory. The restored log \
            has a new epoch, so observers with a position in the old log start over. Existing \
            files are moved to 'quarantine', never deleted.
            """)

    @Argument(help: "The backup's directory.", completion: .directory)
    var backup: String

    @Flag(help: "Replace the store that is in the directory.")
    var replace = false

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: StatePlace

    func run() throws {
        let path = try place.path()
        let disk = try StatePlace.disk(backup, advice: "name the directory of a backup")
        let progress = ProgressLine(
            "verifying the backup", totalBytes: ProgressDisk.totalBytes(disk))
        let source = ProgressDisk.watch(disk, line: progress)
        defer { progress.end() }
        let verified: BackupInstaller.Verified
        do {
            verified = try BackupInstaller.verify(source)
        } catch {
            throw CommandFailure(
                .refused, "\(JournalText.words(error.description)) (in '\(backup)')",
                advice:
                    "see 'payqueuectl journal verify --deep --state-directory \(Shell.quoted(backup))'"
            )
        }
        if let conflict = BackupPlace.conflict(
            backup: BackupPlace.resolved(backup), target: BackupPlace.resolved(path))
        {
            throw CommandFailure(
                .refused, "cannot restore '\(backup)' into '\(path)': \(conflict)",
                advice: "copy the backup to a directory apart from it, or into its 'backups', and "
                    + "restore that copy")
        }
        // The directory is created after the verification, so that a refused backup has no effect.
        let directory: StateDirectory
        do {
            directory = try StateDirectory(
                path: path, identity: .current(program: "payqueuectl"),
                started: StorageEnvironment.system.now(), mayLackLock: replace)
        } catch {
            throw CommandFailure(
                .refused, "cannot restore into '\(path)': \(error)",
                advice: "stop the daemon that uses it, and check who may write there")
        }
        progress.begin("restoring")
        let report: BackupInstaller.Report
        do {
            report = try BackupInstaller.install(verified, into: directory, settingAside: replace)
        } catch {
            throw CommandFailure(
                .refused, JournalText.words(error.description),
                advice: error.cause == .occupied
                    ? "name another directory, or move its contents aside with '--replace'"
                    : "fix that, then restore again",
                effect: error.isBegun ? "unknown" : nil)
        }
        progress.end()
        show(report, path: path)
    }

    private func show(_ report: BackupInstaller.Report, path: String) {
        let result = JSONValue.parameters([
            ("stateDirectory", .string(path)), ("store", .string(report.store.description)),
            ("epoch", .string(report.epoch)), ("seq", .integer(report.sequence)),
            ("setAside", report.setAside.map(JSONValue.string)),
        ])
        output.show(result ?? .null) { _ in
            ["\(path): restored up to record \(report.sequence), epoch \(report.epoch)"]
                + (report.setAside.map { ["the previous files are in '\(path)/\($0)'"] }
                    ?? [])
        }
    }
}
