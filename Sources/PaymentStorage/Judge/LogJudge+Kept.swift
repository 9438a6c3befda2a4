internal import PaymentCore

extension LogJudge {
    /// The files that a directory keeps and a start does not read.
    struct Kept {
        /// The segments in order. Each has a successor, unless it is the active one.
        var segments: [SequenceNumber]
        /// The segment that lines are added to, if it is one of them.
        var active: SequenceNumber?
        /// All snapshots.
        var snapshots: [SequenceNumber]
        /// The snapshot that was read already.
        var base: SnapshotFile?
    }

    /// Reads what a start does not: earlier segments, the other snapshots, the files of closed things that
    /// any snapshot names, and their indexes. Damage in one of them does not stop the reading of the
    /// others.
    ///
    /// - Parameters:
    ///   - kept: The files.
    ///   - unread: The facts about the store before anything of the log is read.
    /// - Throws: The directory cannot be listed, or a file of closed things cannot be read.
    mutating func readKept(_ kept: Kept, _ unread: Found) throws {
        var nothing = unread
        nothing.isReplayed = false
        nothing.position = Position()
        var past = nothing
        for first in kept.segments {
            do {
                if past.segments.isEmpty { past.position.next = first }
                try read(first, &past, isActive: first == kept.active)
            } catch let refusal as RecoveryRefusal {
                find(refusal)
                past = nothing
            }
        }
        if let base = kept.base, !past.segments.isEmpty,
            past.position.next != base.header.position.next
                || past.position.previous != base.header.position.previous
        {
            find(
                RecoveryRefusal(
                    .brokenLink, file: base.name, firstInDoubt: past.position.next,
                    lastInDoubt: base.header.position.next - 1,
                    detail: "the segments before it end with another line"))
        }
        let snapshots = readSnapshots(kept, unread)
        try readHistory(namedBy: snapshots)
        let id = snapshots.compactMap { $0.header.history?.id }.last
        if let id { try readIndexes(of: id) }
    }

    /// Reads a segment. While a daemon adds lines, two reads of the same place may find different bytes. Damage
    /// therefore counts only if a later attempt finds it again.
    private mutating func read(
        _ first: SequenceNumber, _ past: inout Found, isActive: Bool
    ) throws {
        for _ in 1..<(isActive && isLive ? 3 : 1) {
            var again = past
            do {
                try readSegment(first, &again, isLast: isActive)
                past = again
                return
            } catch is RecoveryRefusal {
                continue
            }
        }
        try readSegment(first, &past, isLast: isActive)
    }

    /// - Returns: The snapshots that verify, the oldest first.
    private mutating func readSnapshots(_ kept: Kept, _ unread: Found) -> [SnapshotFile] {
        var snapshots: [SnapshotFile] = []
        for last in kept.snapshots {
            let name = FileName.snapshot(last: last)
            if let base = kept.base, base.name == name {
                snapshots.append(base)
                continue
            }
            do {
                let file = try SnapshotFile(verifying: name, on: disk)
                guard file.header.store == unread.format.store else {
                    throw RecoveryRefusal(.foreignFile, file: name)
                }
                guard file.header.position.next == last + 1 else {
                    throw PayloadFault("its name is that of another snapshot")
                }
                report.snapshots += 1
                snapshots.append(file)
            } catch let refusal as RecoveryRefusal {
                find(refusal)
            } catch let failure as DiskFailure {
                find(RecoveryRefusal(.unreadable, file: name, detail: failure.description))
            } catch {
                find(RecoveryRefusal(.badChecksum, file: name, detail: "\(error)"))
            }
        }
        return snapshots
    }

    /// Reads each file of closed things once. The finding about a damaged file names what is in doubt.
    private mutating func readHistory(namedBy snapshots: [SnapshotFile]) throws {
        var seen: Set<ArchiveFile> = []
        for snapshot in snapshots.reversed() {
            guard let history = snapshot.header.history else { continue }
            for file in history.manifest.files where seen.insert(file).inserted {
                do throws(RecoveryRefusal) {
                    try history.check(file, on: disk, isDeep: true)
                    report.archives += 1
                } catch {
                    // A file of closed things is removed after the snapshots that name it.
                    let finding = try doubts(error, about: file, of: history, in: snapshot)
                    find(finding, unlessGone: snapshot.name)
                }
            }
        }
    }

    /// The finding about a damaged file of closed things, with what is lost of it.
    private func doubts(
        _ finding: RecoveryRefusal, about file: ArchiveFile, of history: HistoryFiles,
        in snapshot: SnapshotFile
    ) throws -> RecoveryRefusal {
        guard finding.reason != .unreadable else { return finding }
        var decoder = EventDecoder()
        try snapshot.forEachItem { content in
            if content.isWord("product") { _ = try decoder.item(content) }
        }
        let left = try ArchiveSalvage(file, of: history.id, on: disk, decoder)
        guard let lost = left.lost, let first = lost.ranges.first, let last = lost.ranges.last
        else { return finding }
        return RecoveryRefusal(
            finding.reason, file: finding.file, offset: finding.offset,
            firstInDoubt: first.lowerBound, lastInDoubt: last.upperBound,
            detail: "\(finding.detail); \(lost.lines) lines are lost",
            identifiers: TailJudge.identifiers(in: left.doubtful))
    }

    /// Reads the indexes of the files of closed things. A damaged one is built again, so that nothing is
    /// lost with it.
    private mutating func readIndexes(of store: UniqueID) throws {
        for name in try disk.list() where ArchiveFile.isName(name) && name.hasSuffix(".index") {
            let isIntact = try? ArchiveIndex(name, of: store, on: disk).isIntact()
            if isIntact != true, isThere(name) { damagedIndexes.append(name) }
        }
    }

    /// Notes a finding, unless a daemon has removed the file meanwhile.
    ///
    /// - Parameters:
    ///   - refusal: The finding.
    ///   - other: The file that is removed before this one; nil if the absence of
    ///     this file alone explains the finding.
    private mutating func find(_ refusal: RecoveryRefusal, unlessGone other: String? = nil) {
        if isLive, !isThere(refusal.file), other.map({ !isThere($0) }) ?? true { return }
        furtherFindings.append(refusal)
    }

    private func isThere(_ name: String) -> Bool {
        do {
            return try disk.status(of: name) != nil
        } catch {
            // A file whose status cannot be read counts as present.
            return true
        }
    }
}
