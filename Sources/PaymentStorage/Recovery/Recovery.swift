internal import PaymentCore

/// Opens the journal of a directory if its judge finds it sound. Judging changes nothing: a refusal leaves
/// the directory as it was found. Opening the ``Reading`` writes, so a caller with several journals
/// reads all of them first.
enum Recovery {
    /// A journal that was read and can be continued. Nothing was changed yet.
    struct Reading {
        fileprivate var opener: LogOpener
        fileprivate let verdict: LogJudge.Verdict
        /// The time when reading began, by a clock that never steps.
        fileprivate let began: UInt64

        /// Whether the embedded store still has a journal of its own, which counts and is to be merged. In a
        /// directory that is only read nothing is merged, and the store is not used.
        ///
        /// - Throws: `.unsuitable` if there is no queue: the directory is that of a store server.
        func mergesSeparateStore() throws(StorageError) -> Bool {
            guard !opener.directory.isReadOnly else { return false }
            if case .sound(_, let found) = verdict, found.format.storeSince != nil { return false }
            do throws(DiskFailure) {
                guard try SeparateStore.exists(on: opener.directory.disk) else { return false }
            } catch {
                throw StorageError(error)
            }
            guard case .empty = verdict else { return true }
            throw .unsuitable(
                "'\(opener.directory.path)' is the state directory of payqueue-store; a queue needs a "
                    + "directory of its own")
        }

        /// Makes the journal ready to be appended to, unless the directory is only read. Once for each
        /// reading.
        ///
        /// - Parameters:
        ///   - isCopy: Whether the log is a copy of one that another place commits.
        ///   - seed: The beginning of a copy in an empty directory; nil for a new store.
        /// - Returns: The log and the report of the recovery.
        /// - Throws: `.failed` if the disk failed; `.unsuitable` if the directory cannot become that copy.
        func open(
            isCopy: Bool = false, from seed: StoreSeed? = nil
        ) throws(StorageError) -> (OpenedLog, RecoveryReport) {
            var opener = opener
            opener.isCopy = isCopy
            opener.seed = seed
            let opened: OpenedLog
            do {
                opened =
                    opener.directory.isReadOnly
                    ? try opener.openToRead(verdict) : try opener.open(verdict)
            } catch let failure as DiskFailure {
                throw StorageError(failure)
            } catch let error as StorageError {
                throw error
            } catch {
                throw .failed(JournalFailure("cannot open journal: \(error)"))
            }
            let ended = opener.settings.environment.monotonicNanoseconds()
            opener.report.durationMilliseconds = (ended &- began) / 1_000_000
            return (opened, opener.report)
        }
    }

    /// Opens the journal of a directory.
    static func run(
        _ directory: StateDirectory, settings: LogSettings, visitor: any RecoveryVisitor
    ) throws(StorageError) -> (OpenedLog, RecoveryReport) {
        try read(directory, settings: settings, visitor: visitor).open()
    }

    /// Reads and judges the journal of a directory, and changes nothing.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - settings: Sizes and clocks.
    ///   - visitor: Receives the content.
    ///   - quickly: Whether the newest snapshot is verified while the visitor receives it. What is refused
    ///     then is in doubt.
    /// - Returns: What to open the journal from.
    /// - Throws: `.refused` if the files cannot be trusted; `.failed` if the disk failed.
    static func read(
        _ directory: StateDirectory, settings: LogSettings, visitor: any RecoveryVisitor,
        quickly: Bool = false
    ) throws(StorageError) -> Reading {
        var judge = LogJudge(directory.disk, policy: settings.policy, visitor: visitor)
        judge.verifiesWhileReading = quickly
        let began = settings.environment.monotonicNanoseconds()
        let verdict: LogJudge.Verdict
        do {
            verdict = try judge.judge()
        } catch {
            throw StorageError(error)
        }
        if case .damaged(var refusal) = verdict {
            refusal.directory = directory.path
            throw .refused(refusal)
        }
        let opener = LogOpener(
            directory: directory, settings: settings, newestSnapshot: judge.loadedSnapshot,
            report: judge.report)
        return Reading(opener: opener, verdict: verdict, began: began)
    }
}
