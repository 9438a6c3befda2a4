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
    /// - Parameter done: Called with the outcome, on the engine's loop.
    func backUp(done: @escaping @Sendable (Result<BackupReport, BackupFailure>) -> Void) {
        guard !isBackingUp else {
            return done(.failure(BackupFailure("another backup is being written")))
        }
        let queue: BackupTicket
        do throws(JournalFailure) {
            queue = try journal.log.beginBackup()
        } catch {
            engine.fail(error)
            return done(.failure(BackupFailure("\(error)", .disk)))
        }
        isBackingUp = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let end: @Sendable (Result<BackupReport, BackupFailure>) -> Void = {
            [eventLoop] result in
            eventLoop.execute {
                bound.value.endBackup()
                done(result)
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
        isBackingUp = false
        journal.log.endBackup()
    }
}
