import Logging
import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage

extension Checkpointer {
    /// Directories of the state directory next to the journals that belong to a backup.
    private static let directories = ["keys", "sessions"]

    /// Writes a verified copy of the state directory under `backups/`, in the background. Call it on
    /// the engine's loop.
    ///
    /// One backup is written at a time. Calls during a backup share the next one, which has everything
    /// that was recorded before they were made.
    ///
    /// - Parameter done: Called with the outcome, on the engine's loop.
    func backUp(done: @escaping @Sendable (Result<BackupReport, BackupFailure>) -> Void) {
        guard engine.isRunning else {
            return done(.failure(BackupFailure("the daemon records nothing any more", .disk)))
        }
        if nextBackup?.append(done) != nil { return }
        let queue: BackupTicket
        do throws(JournalFailure) {
            queue = try journal.log.beginBackup()
        } catch {
            engine.fail(error)
            return done(.failure(BackupFailure("\(error)", .disk)))
        }
        nextBackup = []
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let end: @Sendable (Result<BackupReport, BackupFailure>) -> Void = {
            [eventLoop] result in
            eventLoop.execute {
                done(result)
                bound.value.endBackup()
            }
        }
        StorageEnvironment.system.background { [disk = journal.log.disk, kept = backupsKept, log] in
            end(
                Result { () throws(BackupFailure) in
                    let report = try BackupWriter.write(
                        queue, directories: Self.directories, at: .now)
                    let removed = BackupWriter.removeOldest(
                        of: disk, keeping: kept, and: report.path)
                    for path in removed {
                        log.info("removed an old backup", metadata: ["path": "\(path)"])
                    }
                    return report
                })
        }
    }

    private func endBackup() {
        journal.log.endBackup()
        let callers = nextBackup ?? []
        nextBackup = nil
        guard !callers.isEmpty else { return }
        backUp { result in callers.forEach { $0(result) } }
    }
}
