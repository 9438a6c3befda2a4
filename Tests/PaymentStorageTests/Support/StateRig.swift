import PaymentCore
import PaymentStorage
import PaymentTesting
import StrictJSON

/// A state directory with a queue and an embedded store, as the daemon opens it.
struct StateRig {
    let world: MemoryDiskWorld
    var seed: UInt64 = 1
    /// Whether the store of a new directory is in the log of the queue. Earlier versions gave it a journal
    /// of its own.
    var isOneLog = false

    static let policy = JournalPolicy(
        segmentBytes: 2048, firstPrefilledBytes: 1024, reserveBytes: 0, indexEveryLines: 4,
        indexEveryBytes: 512, retention: RetentionPolicy(keepBytes: 8192, keepSeconds: 1 << 30))

    /// Both journals, open.
    struct Opened {
        let queue: LocalLog
        /// The journal of the store in its first life; a later start reads it and writes to the log of the
        /// queue only.
        let store: RecordJournal<Note>?
        let report: RecoveryReport
        /// The items of the snapshot, and the last record whose effect they hold.
        let items: [SnapshotItem]
        let loadedUpTo: SequenceNumber?
        /// The records behind it.
        let records: [Record]
        /// The files of closed things, with an index each; nil if they cannot be indexed.
        let history: Archives?
        /// The orders in the store.
        let notes: [SequenceNumber: String]
        private let directory: StateDirectory

        init(_ rig: StateRig) throws {
            var storage = StorageRig(world: rig.world, policy: StateRig.policy)
            storage.environment = .foreseeable(seed: rig.seed)
            directory = try storage.stateDirectory()
            let texts = NoteReplay()
            let seen = SeenReplay(store: texts)
            let reading = try LocalLog.read(in: directory, settings: storage.settings, seen)
            let format = rig.world.files["format.json"].map { String(decoding: $0, as: UTF8.self) }
            if reading.hasSeparateStore || format?.contains("storeSince") ?? rig.isOneLog {
                store = nil
            } else {
                (store, _) = try RecordJournal<Note>.open(
                    in: directory.subdirectory("sandbox"), settings: storage.settings,
                    load: { _, _ in }, replay: { _, _, _ in })
            }
            notes = try texts.notes(
                of: rig.world, isSeparate: reading.hasSeparateStore, after: seen.loadedUpTo ?? 0)
            (queue, report) = try reading.open()
            let history = queue.openedHistory
            self.history =
                history.needsIndex ? try? queue.archiveBuilder.index(history) : history
            items = seen.items
            loadedUpTo = seen.loadedUpTo
            records = seen.records
        }
    }

    /// A receiver of the content of a journal, by the name of its directory.
    static func visitor(_ name: String) -> any RecoveryVisitor {
        guard name == "sandbox" else {
            return LocalLog.visitor(SeenReplay(store: NoteReplay()))
        }
        return RecordJournal<Note>.visitor(load: { _, _ in }, replay: { _, _, _ in })
    }

    func open() throws -> Opened { try Opened(self) }

    /// Whether the quick way of a start, which writes nothing, accepts the directory.
    func isAcceptedQuickly() -> Bool {
        let storage = StorageRig(world: world.afterKill(), policy: StateRig.policy)
        guard let directory = try? storage.stateDirectory() else { return false }
        let reading = try? LocalLog.read(
            in: directory, settings: storage.settings, AnyReplay(), quickly: true)
        return reading != nil
    }

    /// The exit code of a verification of both journals.
    func verified(isDeep: Bool = false) -> (exitCode: Int32, findings: [VerifyReport.Finding]) {
        let disk = MemoryDisk(world: world)
        let queue = JournalVerifier.verify(disk, isDeep: isDeep)
        guard (try? JournalRepair.journals(of: disk))?.contains("sandbox") ?? true,
            let inner = try? disk.directory("sandbox", create: false)
        else {
            return (queue.exitCode, queue.findings)
        }
        let store = JournalVerifier.verify(inner, isDeep: isDeep)
        return (max(queue.exitCode, store.exitCode), queue.findings + store.findings)
    }
}

/// Takes everything, also in batches.
private final class AnyReplay: LogReplay {
    private let store = NoteReplay()

    func load(store item: StoreRecord) throws { try store.load(item) }
    func replay(store record: StoreRecord) throws { try store.replay(record) }
    func load(_ item: SnapshotItem) {}
    func didLoad(upTo position: SequenceNumber) {}
    func replay(_ record: Record) {}
    func load(_ batch: PlainBatch) -> Bool { true }
    func replay(added batch: PlainBatch) -> Bool { true }
}

/// The texts of an embedded store, in order.
final class NoteReplay: StoreReplay {
    /// The items of the snapshot, and the records behind it.
    private(set) var items: [String] = []
    private(set) var texts: [String] = []

    func load(_ item: StoreRecord) throws { items.append(try text(item)) }

    func replay(_ record: StoreRecord) throws { texts.append(try text(record)) }

    private func text(_ record: StoreRecord) throws -> String {
        let payload = try JSONValue(parsing: record.payload)
        guard let note = Note(typeWord: record.word, payload: payload) else {
            throw UnexpectedStoreRecord(word: record.word)
        }
        return note.text
    }

    /// The texts by their places in the files.
    fileprivate func notes(
        of world: MemoryDiskWorld, isSeparate: Bool, after position: SequenceNumber
    ) throws -> [SequenceNumber: String] {
        // Damage to segments that a start does not read must not hide those that it reads.
        let files = world.files.filter { name, _ in
            guard !isSeparate, name.hasPrefix("journal-") else { return true }
            return SequenceNumber(name.filter(\.isNumber)) ?? 0 > position
        }
        let top = MemoryDisk(world: try MemoryDiskWorld(files: files))
        let disk: any Disk = isSeparate ? try top.directory("sandbox", create: false) : top
        var places: [SequenceNumber] = []
        _ = try JournalDump.lines(disk, after: isSeparate ? 0 : position) { line in
            if line.content.word == (isSeparate ? "note" : "store.note") {
                places.append(line.sequence)
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(places, texts))
    }
}

extension StoreRecord {
    /// A note as a record of an embedded store.
    init(_ note: Note) {
        var writer = JSONWriter()
        note.encodePayload(into: &writer)
        self.init(word: "note", payload: writer.bytes)
    }
}

extension MemoryDiskWorld {
    /// A file system with these files, by their paths.
    convenience init(files: [String: [UInt8]]) throws {
        self.init()
        let top = MemoryDisk(world: self)
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let parts = path.split(separator: "/").map(String.init)
            var disk: any Disk = top
            for name in parts.dropLast() { disk = try disk.directory(name, create: true) }
            try disk.put(parts[parts.count - 1], bytes)
        }
        // The names of directories.
        try top.sync()
    }
}

extension Disk {
    fileprivate func put(_ name: String, _ bytes: [UInt8]) throws {
        let file = try open(name, .updateOrCreate)
        var done = 0
        while done < bytes.count {
            done += try file.write(bytes.span.extracting(droppingFirst: done), at: done)
        }
        try file.sync()
        try sync()
    }
}
