public import PaymentCore

/// The sizes of archive files and indexes.
public struct ArchiveLimits: Sendable, Hashable {
    /// The newest files that are smaller than this together are written again with the next one.
    public var mergeBelowBytes = 16 << 20
    /// Files that begin with a line of this age, in seconds, are not written again, so that retention can drop
    /// whole files in time.
    public var mergeForSeconds: Int64 = 3 * 86_400
    /// A file ends when it has this length. The index of one file is built in memory.
    public var fileBytes = 64 << 20
    /// The maximum number of indexes, each for archives and for ledgers.
    public var indexes = 16

    /// The limits in operation.
    public init() {}
}

/// Writes archive files, ledgers and indexes on a maintenance thread.
///
/// Files are immutable. A new file counts when a snapshot names it in its manifest; until then a
/// crash leaves the older manifest intact.
public struct ArchiveBuilder: Sendable {
    let disk: any Disk
    let store: UniqueID
    let limits: ArchiveLimits
    let sync: BackgroundSync
    private let products: ArchiveProducts
    /// The damage that was found while reading the files.
    let knownDamage = ArchiveDamage()

    /// Creates a builder.
    ///
    /// - Parameters:
    ///   - disk: The state directory.
    ///   - store: The identifier of the store. It also keys the hashes of the indexes.
    ///   - products: The products that lines name by number.
    ///   - limits: Sizes.
    ///   - sync: Syncs each slice of a file.
    public init(
        on disk: any Disk, of store: UniqueID, products: ArchiveProducts,
        limits: ArchiveLimits = ArchiveLimits(),
        sync: @escaping BackgroundSync = StorageEnvironment.syncAtOnce
    ) {
        self.disk = disk
        self.store = store
        self.products = products
        self.limits = limits
        self.sync = sync
    }

    /// Writes what was closed since the last file of a manifest, together with the newest small files. Damaged
    /// files, and those before them, stay as they are.
    ///
    /// - Parameters:
    ///   - manifest: The current files. They stay.
    ///   - last: The last sequence number that the new file covers.
    ///   - now: The time of day.
    ///   - closings: Adds the closed things in the order of closing. Called again after damage to a file.
    /// - Returns: The manifest with the new files, which are durable; unchanged if nothing was added.
    /// - Throws: A file cannot be read or written. The manifest that was given stays valid.
    public func append(
        to manifest: ArchiveManifest, upTo last: SequenceNumber, now: Timestamp,
        _ closings: (ArchiveSink) throws(ArchiveFailure) -> Void
    ) throws(ArchiveFailure) -> ArchiveManifest {
        var next = manifest
        let started = now.advanced(bySeconds: -limits.mergeForSeconds)
        let small = takeSmallFiles(of: &next.archives, startedAfter: started)
        let sink = ArchiveSink(.archive, self, after: small, from: manifest.last + 1)
        do throws(ArchiveFailure) {
            try closings(sink)
            guard !sink.isEmpty else { return manifest }
            next.archives += try sink.finish(last: last)
        } catch {
            sink.discard()
            guard noteDamage(error, of: small) else { throw error }
            // Tries again without the damaged file and those before it.
            return try append(to: manifest, upTo: last, now: now, closings)
        }
        try onDisk(try disk.sync())
        return next
    }

    /// Drops the oldest archive files that are forgotten, after their orders and revocations are in
    /// a ledger.
    ///
    /// - Parameters:
    ///   - manifest: The current files. They stay.
    ///   - isForgotten: Whether everything is forgotten that was closed until a time by records up
    ///     to a sequence number.
    /// - Returns: The manifest with the new ledger, which is durable; unchanged if no file is so old. Damaged
    ///   files, and those after them, stay.
    /// - Throws: A file cannot be read or written. The manifest that was given stays valid.
    public func drop(
        from manifest: ArchiveManifest, where isForgotten: (Timestamp, SequenceNumber) -> Bool
    ) throws(ArchiveFailure) -> ArchiveManifest {
        let old = manifest.archives.prefix {
            isForgotten($0.newest, $0.last) && knownDamage[$0.name] == nil
        }
        guard let oldest = old.first, let newest = old.last else { return manifest }
        var next = manifest
        next.archives.removeFirst(old.count)
        let small = takeSmallFiles(of: &next.ledgers)
        let sink = ArchiveSink(.ledger, self, after: small, from: oldest.first)
        do throws(ArchiveFailure) {
            for file in old { try addOrders(of: file, to: sink) }
            next.ledgers += try sink.finish(last: newest.last)
        } catch {
            sink.discard()
            guard noteDamage(error, of: Array(old) + small) else { throw error }
            // Tries again, up to the damaged archive or after the damaged ledger.
            return try drop(from: manifest, where: isForgotten)
        }
        try onDisk(try disk.sync())
        return next
    }

    /// Notes a failure if damage to one of some files has caused it.
    ///
    /// - Returns: Whether such damage is the cause.
    private func noteDamage(_ failure: ArchiveFailure, of files: [ArchiveFile]) -> Bool {
        files.contains { $0.name == failure.damage?.file } && knownDamage.note(failure)
    }

    /// Opens the indexes of a manifest. Reads headers and filters, no lines.
    ///
    /// - Parameters:
    ///   - manifest: The files.
    ///   - earlier: The archives so far; indexes that are open there are not read again.
    /// - Returns: The archives. Files whose index is missing or damaged are listed as unindexed.
    /// - Throws: A file of the manifest is missing or has another length.
    public func open(
        _ manifest: ArchiveManifest, reusing earlier: Archives? = nil
    ) throws(ArchiveFailure) -> Archives {
        let names = try onDisk(try disk.list())
        for file in manifest.files {
            let status = try onDisk(try disk.status(of: file.name))
            guard status?.length == file.bytes else {
                throw .damaged(
                    file: file.name, offset: 0,
                    reason: status == nil
                        ? "the file is missing" : "its length is not \(file.bytes)"
                )
            }
        }
        let opened = earlier?.allIndexes ?? []
        var indexes = opened.filter { names.contains($0.name) }
        for name in names where ArchiveFile.isName(name) && name.hasSuffix(".index") {
            guard !opened.contains(where: { $0.name == name }) else { continue }
            // An index is a cache: if it cannot be read, the files that it covered are indexed again.
            guard let index = try? ArchiveIndex(name, of: store, on: disk) else { continue }
            indexes.append(index)
        }
        return makeArchives(manifest, indexes)
    }

    /// Builds the missing indexes and merges indexes above the limit. All are durable on return. More
    /// indexes than the limit stay if there is no room to merge them, or if one of them is damaged. A damaged one
    /// is noted, and ``reindex(_:)`` builds it again.
    ///
    /// - Returns: The archives with an index for every file that is not damaged.
    public func index(_ archives: Archives) throws(ArchiveFailure) -> Archives {
        let builder = IndexBuilder(disk: disk, store: store, sync: sync)
        var indexes = archives.allIndexes
        for file in archives.unindexed {
            do throws(ArchiveFailure) {
                indexes.append(try builder.build(file))
                knownDamage.remove(file.name)
            } catch {
                // Lookups report the damage, and everything else continues.
                guard noteDamage(error, of: [file]) else { throw error }
            }
        }
        let complete = makeArchives(archives.manifest, indexes)
        // An index can only cover consecutive files.
        guard complete.unindexed.isEmpty else {
            try onDisk(try disk.sync())
            return complete
        }
        var result = complete
        do throws(ArchiveFailure) {
            let merged =
                try merge(complete.indexes.ledgers, builder)
                + merge(complete.indexes.archives, builder)
            result = makeArchives(archives.manifest, merged)
        } catch  where error.isOutOfSpace {
            // More indexes than the limit only make lookups slower.
        } catch .damaged {
            // The damaged index is built again before the next merge. A checkpoint does not wait for that.
            complete.noteDamagedIndex()
        }
        try onDisk(try disk.sync())
        return result
    }

    /// Builds all damaged indexes again, after a lookup or a scrub has found one.
    ///
    /// - Returns: The archives with intact indexes, as of ``index(_:)``.
    public func reindex(_ archives: Archives) throws(ArchiveFailure) -> Archives {
        var intact: [ArchiveIndex] = []
        for index in archives.allIndexes {
            // The part of an index in memory may be intact although its file is not.
            guard let opened = try? ArchiveIndex(index.name, of: store, on: disk),
                opened.isIntact()
            else { continue }
            intact.append(opened)
        }
        let rebuilt = try index(
            makeArchives(archives.manifest, intact))
        guard !rebuilt.unindexed.isEmpty else { return rebuilt }
        // A damaged index is better than none for a file that cannot be indexed.
        return makeArchives(archives.manifest, rebuilt.allIndexes + archives.allIndexes)
    }

    private func makeArchives(_ manifest: ArchiveManifest, _ indexes: [ArchiveIndex]) -> Archives {
        Archives(
            manifest, indexes, of: store, on: disk, products: products, knownDamage: knownDamage)
    }

    /// Removes archive files, ledgers and indexes that are no longer needed.
    ///
    /// - Parameters:
    ///   - manifests: The manifests of all snapshots that are kept, and of the next one.
    ///   - archives: The current archives, whose indexes stay.
    /// - Throws: The directory cannot be listed, or a file cannot be removed.
    public func removeUnnamed(
        keeping manifests: [ArchiveManifest], _ archives: Archives
    ) throws(ArchiveFailure) {
        var kept = Set(manifests.flatMap(\.files).map(\.name))
        kept.formUnion(archives.allIndexes.map(\.name))
        for name in try onDisk(try disk.list())
        where ArchiveFile.isName(name) && !kept.contains(name) {
            try onDisk(try disk.removeIfPresent(name))
        }
        try onDisk(try disk.sync())
    }

    /// Removes and returns the newest files that are small together, up to a damaged one.
    private func takeSmallFiles(
        of files: inout [ArchiveFile], startedAfter time: Timestamp? = nil
    ) -> [ArchiveFile] {
        var bytes = 0
        var small: [ArchiveFile] = []
        // No claim covers the copies, because their lines are on the disk already.
        let free = (try? disk.space().freeBytes) ?? 0
        while let file = files.last, knownDamage[file.name] == nil,
            bytes + file.bytes < min(limits.mergeBelowBytes, Int(clamping: free / 4)),
            time.map({ file.oldest > $0 }) ?? true
        {
            bytes += file.bytes
            small.insert(file, at: 0)
            files.removeLast()
        }
        return small
    }

    private func addOrders(of file: ArchiveFile, to sink: ArchiveSink) throws(ArchiveFailure) {
        var scanner = try ArchiveScanner(file, of: store, on: disk)
        var decoder = EventDecoder()
        while let line = try scanner.next() {
            let item: SnapshotItem?
            do throws(PayloadFault) {
                item = try decoder.item(line.content)
            } catch {
                throw .damaged(
                    file: file.name, offset: scanner.lineOffset, reason: error.description)
            }
            guard let fact = item.flatMap({ ClosedFact($0) }) else { continue }
            switch fact {
            case .transaction(let transaction, _, let finish):
                guard let order = transaction.purchasedOrder else { continue }
                try sink.add(.order(order, transaction.id), line.sequence, at: finish.time)
            case .order, .revokedOrder:
                try sink.add(fact, line.sequence, at: file.newest)
            case .restore:
                continue
            }
        }
    }

    /// Merges neighbouring indexes, the smallest first, until half of the limit is left, so that a
    /// merge is rare and each entry is rewritten a logarithmic number of times.
    private func merge(
        _ uses: [IndexUse], _ builder: IndexBuilder
    ) throws(ArchiveFailure) -> [ArchiveIndex] {
        guard uses.count > limits.indexes else { return uses.map(\.index) }
        var groups = uses.map { (indexes: [$0], entries: $0.index.counts.reduce(0, +)) }
        while groups.count > max(1, limits.indexes / 2) {
            let sums = groups.indices.dropLast().map {
                groups[$0].entries + groups[$0 + 1].entries
            }
            guard let left = sums.indices.min(by: { sums[$0] < sums[$1] }) else { break }
            let right = groups.remove(at: left + 1)
            groups[left].indexes += right.indexes
            groups[left].entries += right.entries
        }
        var merged: [ArchiveIndex] = []
        for group in groups {
            if group.indexes.count == 1 {
                merged.append(group.indexes[0].index)
            } else {
                merged.append(
                    try builder.merge(
                        group.indexes.map(\.index), keeping: group.indexes.flatMap(\.files)))
            }
        }
        return merged
    }
}
