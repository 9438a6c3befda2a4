internal import PaymentCore

extension StoreFormat {
    /// Finds out what store a directory has.
    ///
    /// - Parameters:
    ///   - inventory: The files of the directory.
    ///   - disk: The directory.
    ///   - checksParts: Whether the stores in subdirectories must be those that the format names.
    /// - Returns: The format; nil if there is no store here yet.
    /// - Throws: The format cannot be trusted, is missing although there was a store, or names a store
    ///   in a subdirectory that is not there.
    static func find(
        _ inventory: Inventory, _ disk: any Disk, checksParts: Bool
    ) throws(RecoveryRefusal) -> StoreFormat? {
        guard inventory.hasFormat else {
            try checkUnborn(inventory, disk)
            return nil
        }
        let bytes = try reading(FileName.format) { () throws(DiskFailure) in
            try disk.open(FileName.format, .read).readAll(limit: 1 << 16)
        }
        let format = try StoreFormat(bytes)
        guard checksParts, format.storeSince == nil else { return format }
        for (name, store) in format.parts.sorted(by: { $0.key < $1.key }) {
            try checkPart(name, store, disk)
        }
        return format
    }

    /// Checks a store in a subdirectory that belongs to this one. It has the orders of this store's
    /// transactions, so the two stores are valid only together.
    private static func checkPart(
        _ name: String, _ store: UniqueID, _ disk: any Disk
    ) throws(RecoveryRefusal) {
        let file = "\(name)/\(FileName.format)"
        let bytes = try reading(file) { () throws(DiskFailure) -> [UInt8]? in
            guard try disk.status(of: name)?.kind == .directory else { return nil }
            let inner = try disk.directory(name, create: false)
            guard try inner.status(of: FileName.format) != nil else { return nil }
            return try inner.open(FileName.format, .read).readAll(limit: 1 << 16)
        }
        guard let bytes else { throw RecoveryRefusal.missingPart(name) }
        guard let format = try? StoreFormat(bytes) else {
            throw RecoveryRefusal(.badFormatFile, file: file, detail: "it is damaged")
        }
        guard format.store == store else {
            throw RecoveryRefusal(
                .foreignFile, file: file,
                detail: "the store of '\(name)' belongs to another state directory")
        }
    }

    /// `format.json` is the last file that a new store gets. Without it there may be a first
    /// segment with nothing in it but its header; anything more was a store once.
    private static func checkUnborn(
        _ inventory: Inventory, _ disk: any Disk
    ) throws(RecoveryRefusal) {
        let refusal = RecoveryRefusal(
            .badFormatFile, file: FileName.format,
            detail: "it is missing, although there is or was a journal")
        guard inventory.snapshots.isEmpty, !inventory.hasHistory, try !hadLines(disk) else {
            throw refusal
        }
        guard let first = inventory.segments.first else { return }
        guard first == 1, inventory.segments.count == 1 else { throw refusal }
        let name = FileName.segment(first: 1)
        let bytes = try reading(name) { () throws(DiskFailure) in
            try disk.open(name, .read).readAll(limit: JournalPolicy().lineLimitBytes + 2)
        }
        let lines = bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == 0 })
        guard lines.count <= 1 else { throw refusal }
    }

    /// Whether the lock file names a line of a log.
    private static func hadLines(_ disk: any Disk) throws(RecoveryRefusal) -> Bool {
        try reading(FileName.lock) { () throws(DiskFailure) in
            guard try disk.status(of: FileName.lock) != nil else { return false }
            let file = LockFile(file: try disk.open(FileName.lock, .read))
            if let mark = try file.marks().newest, mark.sequence > 0 { return true }
            return try file.read()?.cleanStop != nil
        }
    }
}
