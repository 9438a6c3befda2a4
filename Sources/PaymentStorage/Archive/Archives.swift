public import PaymentCore
internal import Synchronization

/// The archive files and ledgers of a manifest with their indexes, open for reading. Immutable:
/// threads share it, and a checkpoint makes the next one.
public final class Archives: ClosedHistory {
    /// The files.
    public let manifest: ArchiveManifest
    /// The files that no index covers. Until they are indexed, every lookup fails.
    public let unindexed: [ArchiveFile]
    /// The indexes of the archive files, then those of the ledgers, each in the order of closing.
    let indexes: (archives: [IndexUse], ledgers: [IndexUse])
    /// Whether an index can be built that is missing, or that was found damaged; see
    /// ``ArchiveBuilder/reindex(_:)``. Damaged files cannot be indexed.
    public var needsIndex: Bool {
        unindexed.contains { knownDamage[$0.name] == nil } || isDamaged.load(ordering: .relaxed)
    }
    /// Whether each file has an index and none was found damaged.
    public var isIndexed: Bool { unindexed.isEmpty && !isDamaged.load(ordering: .relaxed) }
    private let isDamaged = Atomic(false)
    private let knownDamage: ArchiveDamage
    private let disk: any Disk
    private let keyed: KeyedHash
    private let products: ArchiveProducts

    /// The length of all files in bytes, without indexes.
    public var bytes: Int { manifest.files.reduce(0) { $0 + $1.bytes } }

    init(
        _ manifest: ArchiveManifest, _ candidates: [ArchiveIndex], of store: UniqueID,
        on disk: any Disk, products: ArchiveProducts, knownDamage: ArchiveDamage
    ) {
        self.manifest = manifest
        self.disk = disk
        self.knownDamage = knownDamage
        self.products = products
        keyed = KeyedHash(store)
        var missing: [ArchiveFile] = []
        indexes = (
            IndexUse.cover(manifest.archives, with: candidates, missing: &missing),
            IndexUse.cover(manifest.ledgers, with: candidates, missing: &missing)
        )
        unindexed = missing
    }

    /// All open indexes.
    var allIndexes: [ArchiveIndex] { (indexes.ledgers + indexes.archives).map(\.index) }

    /// Notes that an index was found damaged, so that it is built again.
    public func noteDamagedIndex() { isDamaged.store(true, ordering: .relaxed) }

    /// The last record that the files cover.
    public var last: SequenceNumber { manifest.last }

    /// The bytes of closed transactions in archive files, by the user whose calls created them.
    public var bytesByUser: [UInt32: Int] {
        manifest.archives.reduce(into: [:]) { $0.merge($1.bytesByUser, uniquingKeysWith: +) }
    }

    /// Whether an archive file is older than a time, and was not forgotten earlier.
    public func hasPart(before time: Timestamp, notBefore mark: Timestamp?) -> Bool {
        manifest.archives.contains { file in
            file.newest < time && mark.map { file.newest >= $0 } ?? true
        }
    }

    /// The bytes that the indexes hold in memory.
    public var residentBytes: Int { allIndexes.reduce(0) { $0 + $1.residentBytes } }

    /// Whether a lookup of an idempotency key reads the disk. False is certain: the key was never
    /// used. True is wrong for about one unused key in a thousand, for each index.
    public func mayContain(_ key: OpaqueText) -> Bool {
        let (section, hash) = keyed.lookup(.key(key))
        return allIndexes.contains { $0.mayContain(hash, in: section) }
    }

    /// The newest fact that was closed under a key. The lookup uses a filter in memory for keys, then reads one
    /// block of each index that may contain the key, then the line. All bytes of the key in the line decide.
    public func find(_ key: ClosedKey) throws(ClosedHistoryFailure) -> ClosedEntry? {
        do throws(ArchiveFailure) {
            return try entry(key)
        } catch {
            throw note(error)
        }
    }

    /// The transactions of an account in the order of closing.
    public func page(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) throws(ClosedHistoryFailure) -> ClosedPage {
        do throws(ArchiveFailure) {
            return try entries(of: account, after: position, limit: limit)
        } catch {
            throw note(error)
        }
    }

    /// The damage that lookups and checkpoints have found in the files.
    public var damage: [StorageDamage] { knownDamage.all(of: manifest.files) }

    /// Forgets the damage to all files but these, because all files have been read since.
    public func forgetDamage(besides files: Set<String>) { knownDamage.removeAll(besides: files) }

    /// Notes the damage that a failure shows, and translates the failure. A damaged index is built again. A
    /// damaged file stays as it is, and its lines stay unknown: all of them if it has no index.
    private func note(_ failure: ArchiveFailure) -> ClosedHistoryFailure {
        if knownDamage.note(failure) {
            return ClosedHistoryFailure(failure.description, isDamage: true)
        }
        if case .notIndexed(let file) = failure, let damage = knownDamage[file] {
            return ClosedHistoryFailure(
                "\(failure), because it is damaged: \(damage.detail)", isDamage: true)
        }
        if case .damaged = failure { noteDamagedIndex() }
        let isMissingIndex = if case .disk = failure { false } else { true }
        return ClosedHistoryFailure(failure.description, isMissingIndex: isMissingIndex)
    }

    private func checkIndexed() throws(ArchiveFailure) {
        // A file whose index can be built comes first, because the lookup can then be tried again.
        let file = unindexed.first { knownDamage[$0.name] == nil } ?? unindexed.first
        if let file { throw .notIndexed(file: file.name) }
    }

    private func entry(_ key: ClosedKey) throws(ArchiveFailure) -> ClosedEntry? {
        try checkIndexed()
        let (section, hash) = keyed.lookup(key)
        var lines = ArchiveLineReader(disk)
        for uses in [indexes.archives, indexes.ledgers] {
            for use in uses.reversed() where use.index.mayContain(hash, in: section) {
                var run = try use.index.entries(of: hash, in: section)
                for number in run.range.reversed() {
                    let entry = try run.reader.entry(number)
                    guard let file = use.file(entry) else { continue }
                    let line = try lines.line(at: entry.offset, of: file)
                    let found = try decode(line, entry, file)
                    if found.answers(key) {
                        return ClosedEntry(sequence: line.sequence, fact: found)
                    }
                }
            }
        }
        return nil
    }

    private func entries(
        of account: AccountName?, after position: SequenceNumber, limit: Int
    ) throws(ArchiveFailure) -> ClosedPage {
        try checkIndexed()
        let hash = keyed.hash(account: account)
        var lines = ArchiveLineReader(disk)
        var page = ClosedPage(entries: [], next: nil)
        var seen = 0
        for use in indexes.archives where use.last > position {
            var run = try use.index.entries(of: hash, in: .account)
            let first = try start(after: position, in: &run, use, &lines)
            for number in first..<run.range.upperBound {
                let entry = try run.reader.entry(number)
                guard let file = use.file(entry) else { continue }
                if seen == limit { return page }
                let line = try lines.line(at: entry.offset, of: file)
                seen += 1
                page.next = line.sequence
                guard
                    case .transaction(let transaction, _, let finish) =
                        try decode(line, entry, file), transaction.account == account
                else { continue }
                page.entries.append(
                    ClosedPage.Entry(
                        sequence: line.sequence, transaction: transaction, finish: finish))
            }
        }
        page.next = nil
        return page
    }

    /// The number of the first entry that was closed after a position, by binary search.
    private func start(
        after position: SequenceNumber, in run: inout IndexRun, _ use: IndexUse,
        _ lines: inout ArchiveLineReader
    ) throws(ArchiveFailure) -> Int {
        var low = run.range.lowerBound
        var high = run.range.upperBound
        while low < high {
            let middle = (low + high) / 2
            let entry = try run.reader.entry(middle)
            let file = use.index.files[entry.file]
            let isLater: Bool
            if file.first > position {
                isLater = true
            } else if file.last <= position || use.file(entry) == nil {
                isLater = false
            } else {
                isLater = try lines.line(at: entry.offset, of: file).sequence > position
            }
            if isLater { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func decode(
        _ line: ArchiveLine, _ entry: IndexEntry, _ file: ArchiveFile
    ) throws(ArchiveFailure) -> ClosedFact {
        do throws(PayloadFault) {
            guard let item = try products.decode(line.content), let fact = ClosedFact(item) else {
                throw PayloadFault("the line is not a closed thing")
            }
            return fact
        } catch {
            throw .damaged(file: file.name, offset: entry.offset, reason: error.description)
        }
    }
}

/// The products that archive lines name by number. A queue never forgets a product, so the caller
/// notes each product that it loads or records.
public final class ArchiveProducts: Sendable {
    private let decoder = Mutex(EventDecoder())

    /// Starts without products.
    public init() {}

    /// Notes a product.
    ///
    /// - Throws: Its number is too large to be one of a queue.
    public func note(_ product: RecordedProduct) throws(PayloadFault) {
        try decoder.withLock { decoder throws(PayloadFault) in try decoder.note(product) }
    }

    func decode(_ content: LineContent) throws(PayloadFault) -> SnapshotItem? {
        try decoder.withLock { decoder throws(PayloadFault) in try decoder.item(content) }
    }
}

/// The damage found in files of closed things, for all archives of a journal.
final class ArchiveDamage: Sendable {
    private let byFile = Mutex<[String: StorageDamage]>([:])

    /// The damage to a file.
    subscript(file: String) -> StorageDamage? { byFile.withLock { $0[file] } }

    /// The damage to some files; nothing for those that are intact.
    func all(of files: [ArchiveFile]) -> [StorageDamage] {
        byFile.withLock { byFile in files.compactMap { byFile[$0.name] } }
    }

    /// Notes a failure if damage to a file is its cause. One damage is noted for each file; a scrub finds
    /// the others.
    ///
    /// - Returns: Whether damage is the cause.
    @discardableResult
    func note(_ failure: ArchiveFailure) -> Bool {
        guard let damage = failure.damage else { return false }
        byFile.withLock { byFile in
            if byFile[damage.file] == nil { byFile[damage.file] = damage }
        }
        return true
    }

    /// Forgets the damage to a file that has been read completely since.
    func remove(_ file: String) { byFile.withLock { $0[file] = nil } }

    /// Forgets the damage to all files but these.
    func removeAll(besides files: Set<String>) {
        byFile.withLock { $0 = $0.filter { files.contains($0.key) } }
    }
}

/// An index, and which of its files are in the manifest.
struct IndexUse: Sendable {
    let index: ArchiveIndex
    /// Whether each file of the index is in the manifest.
    private let isCurrent: [Bool]

    init(_ index: ArchiveIndex, among files: Set<ArchiveFile>) {
        self.index = index
        isCurrent = index.files.map(files.contains)
    }

    /// The files of the manifest that the index covers.
    var files: [ArchiveFile] { zip(index.files, isCurrent).filter(\.1).map(\.0) }

    /// The last sequence number of these files.
    var last: SequenceNumber { files.last?.last ?? 0 }

    /// The file of an entry; nil if the manifest does not have it any more.
    func file(_ entry: IndexEntry) -> ArchiveFile? {
        isCurrent[entry.file] ? index.files[entry.file] : nil
    }

    /// Selects indexes that cover each file once, those of the most files first.
    static func cover(
        _ files: [ArchiveFile], with candidates: [ArchiveIndex], missing: inout [ArchiveFile]
    ) -> [IndexUse] {
        let wanted = Set(files)
        var open = wanted
        var uses: [IndexUse] = []
        let sorted = candidates.map { IndexUse($0, among: wanted) }
            .sorted { $0.files.count > $1.files.count }
        for use in sorted where !use.files.isEmpty && open.isSuperset(of: use.files) {
            open.subtract(use.files)
            uses.append(use)
        }
        missing += files.filter(open.contains)
        return uses.sorted { $0.last < $1.last }
    }
}
