import NIOCore
import PaymentCore
import PaymentEngine
import PaymentStorage
import SandboxStorage

extension Checkpointer {
    /// Directories of the state directory next to the journals that belong to a backup.
    private static let directories = ["keys", "sessions"]

    /// Writes a verified copy of the state directory under `backups/`, in the background. Call it on
    /// the engine's loop.
    ///
    /// - Parameters:
    ///   - sandbox: The journal of the embedded store, if the store is embedded.
    ///   - storeLoop: The loop that it lives on.
    ///   - done: Called with the outcome, on the engine's loop.
    func backUp(
        sandbox: SandboxFileJournal?, on storeLoop: any EventLoop,
        done: @escaping @Sendable (Result<BackupReport, BackupFailure>) -> Void
    ) {
        guard !isBackingUp else {
            return done(.failure(BackupFailure("another backup is being written")))
        }
        let queue: BackupTicket
        do throws(JournalFailure) {
            queue = try journal.log.beginBackup()
        } catch {
            engine.fail(error)
            return done(.failure(BackupFailure("\(error)")))
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
        guard let sandbox else { return Self.write(queue, [], end) }
        // The store's ticket comes after the queue's, so that the backup contains every order of
        // the queue.
        storeLoop.execute {
            do throws(JournalFailure) {
                let ticket = try sandbox.beginBackup()
                Self.write(queue, [BackupWriter.Part(name: "sandbox", ticket: ticket)]) { result in
                    storeLoop.execute { sandbox.endBackup() }
                    end(result)
                }
            } catch {
                end(.failure(BackupFailure("\(error)")))
            }
        }
    }

    private func endBackup() {
        isBackingUp = false
        journal.log.endBackup()
    }

    private static func write(
        _ queue: BackupTicket, _ parts: [BackupWriter.Part],
        _ end: @escaping @Sendable (Result<BackupReport, BackupFailure>) -> Void
    ) {
        StorageEnvironment.system.background {
            end(
                Result { () throws(BackupFailure) in
                    try BackupWriter.write(
                        queue, parts: parts, directories: directories, at: .now)
                })
        }
    }
}
