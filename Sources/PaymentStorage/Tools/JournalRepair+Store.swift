internal import PaymentCore

extension JournalRepair {
    /// The journals of a state directory: the queue's own, named "", and those in subdirectories,
    /// such as `sandbox`.
    public static func journals(of disk: any Disk) throws(BackupFailure) -> [String] {
        do {
            let hasQueue = try Inventory(disk).hasJournal
            return try (hasQueue ? [""] : []) + Inventory.journals(below: disk)
        } catch {
            throw BackupFailure("cannot list the state directory: \(error)")
        }
    }

    /// Surveys every journal of a state directory.
    ///
    /// - Parameters:
    ///   - disk: The state directory.
    ///   - visitor: Makes a receiver of the content of a journal, named by its directory.
    /// - Returns: The surveys, the queue's first. A store that belongs to the queue and is gone has a
    ///   survey too: its lines cannot be counted, and the new directory does not have it.
    /// - Throws: One of them has no valid start or is that of another state directory, or the
    ///   directory is in use.
    public static func surveyAll(
        _ disk: any Disk, visitor: (_ name: String) -> any RecoveryVisitor
    ) throws(BackupFailure) -> [(name: String, survey: Survey)] {
        // While a daemon writes, the end of the log would look damaged.
        if let holder = try? disk.open(FileName.lock, .read).lockHolder() {
            throw BackupFailure("process \(holder) uses the state directory; stop it first")
        }
        var surveys: [(name: String, survey: Survey)] = []
        for name in try journals(of: disk) {
            let inner = try part(name, of: disk, create: false)
            surveys.append((name, try survey(inner) { visitor(name) }))
        }
        guard !surveys.isEmpty else { throw BackupFailure("there is no journal") }
        let parts = surveys.first { $0.name.isEmpty }?.survey.parts ?? [:]
        for (name, store) in parts.sorted(by: { $0.key < $1.key }) {
            guard let found = surveys.first(where: { $0.name == name }) else {
                surveys.append((name, Survey(missing: name)))
                continue
            }
            guard found.survey.store == store else {
                throw BackupFailure(
                    "the store in '\(name)' belongs to another state directory; put the right one "
                        + "in its place, or move '\(name)' away and repair without it")
            }
        }
        return surveys
    }

    /// Creates a new state directory from a damaged one.
    ///
    /// - Parameters:
    ///   - source: The damaged state directory; it is never written.
    ///   - target: The new, empty directory.
    ///   - acceptedLoss: Exactly the number of lines that cannot be copied, of all journals
    ///     together.
    ///   - environment: The source of randomness for the new identifiers, and the clock.
    ///   - visitor: As for ``surveyAll(_:visitor:)``.
    /// - Throws: ``BackupFailure``. The queue's format file is written last, so that an
    ///   incomplete target is not a store.
    public static func repairAll(
        _ source: any Disk, into target: any Disk, acceptedLoss: UInt64,
        environment: StorageEnvironment = .system,
        visitor: (_ name: String) -> any RecoveryVisitor
    ) throws(BackupFailure) {
        let surveys = try surveyAll(source, visitor: visitor)
        let lost = surveys.reduce(0) { $0 + $1.survey.lost }
        guard lost == acceptedLoss else {
            throw BackupFailure("\(lost) lines would be lost, not \(acceptedLoss)")
        }
        try translating("cannot write the new store") {
            guard try target.list().isEmpty else {
                throw BackupFailure("the directory for the new store is not empty")
            }
            try copySmallDirectories(source, target, besides: surveys.map(\.name))
            var parts: [String: UniqueID] = [:]
            for (name, survey) in surveys.reversed() where !survey.isMissing {
                parts[name] = try repair(
                    try part(name, of: source, create: false),
                    into: try part(name, of: target, create: true), acceptedLoss: survey.lost,
                    parts: name.isEmpty ? parts : [:], environment: environment,
                    visitor: { visitor(name) }
                ).store
            }
            try target.sync()
            do {
                for (name, survey) in surveys where !survey.isMissing {
                    try check(try part(name, of: target, create: false)) { visitor(name) }
                }
            } catch {
                // Without its format file it is not a store that a start would take.
                try? target.remove(FileName.format)
                throw error
            }
        }
    }

    /// Copies keys and sessions: files that are always replaced whole.
    private static func copySmallDirectories(
        _ source: any Disk, _ target: any Disk, besides journals: [String]
    ) throws {
        for name in try source.list() {
            guard !journals.contains(name), name != FileName.quarantine, name != FileName.backups,
                try source.status(of: name)?.kind == .directory
            else { continue }
            let inner = try source.directory(name, create: false)
            let copy = try target.directory(name, create: true)
            for file in try inner.list() where try inner.status(of: file)?.kind == .regular {
                _ = try FileCopy.copy(file, of: inner, to: copy)
            }
            try copy.sync()
        }
    }

    private static func part(
        _ name: String, of disk: any Disk, create: Bool
    ) throws(BackupFailure) -> any Disk {
        guard !name.isEmpty else { return disk }
        do {
            return try disk.directory(name, create: create)
        } catch {
            throw BackupFailure("cannot open '\(name)': \(error.reason)")
        }
    }
}
