import Foundation
import PaymentCore
import PaymentStorage
import PaymentTesting
import Testing

/// A state directory as a process left it, with everything in it that was acknowledged.
struct MutationBase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let files: [String: [UInt8]]
    /// Whether marks outside of the log say how far it went. Without them a clean stop alone says so.
    var isMarked = true
    /// The items of each snapshot, by the last record whose effect they hold.
    private(set) var items: [SequenceNumber: [SnapshotItem]] = [0: []]
    /// All records that the files have.
    private(set) var records: [SequenceNumber: Record] = [:]
    /// The answers of the files of closed things for each key that was used, by the last record of
    /// their snapshot.
    private(set) var closed: [SequenceNumber: [ClosedKey: ClosedEntry?]] = [:]
    /// The last record that was acknowledged.
    let acknowledged: SequenceNumber
    /// The orders in the embedded store, by their places in its journal, or in the one log.
    private(set) var notes: [SequenceNumber: String] = [:]
    private let isOneLog: Bool

    init(
        _ name: String, files: [String: [UInt8]], isMarked: Bool = true,
        acknowledged: SequenceNumber = .max
    ) throws {
        testDescription = name
        self.files = files
        self.isMarked = isMarked
        self.acknowledged = acknowledged
        isOneLog = files["sandbox/format.json"] == nil
        var files = files
        while true {
            guard let opened = try? StateRig(world: MemoryDiskWorld(files: files), seed: 1).open()
            else { break }
            items[opened.loadedUpTo ?? 0] = opened.items
            for record in opened.records { records[record.sequence] = record }
            notes.merge(opened.notes) { first, _ in first }
            let history = try #require(opened.history)
            var answers: [ClosedKey: ClosedEntry?] = [:]
            for key in Self.keys { answers[key] = .some(try history.find(key)) }
            closed[opened.loadedUpTo ?? 0] = answers
            let snapshots = files.keys.filter { $0.hasPrefix("snapshot-") }
            guard let newest = snapshots.max() else { break }
            files[newest] = nil
        }
    }

    /// The keys that ``KeptShop`` uses.
    private static let keys: [ClosedKey] = (UInt64(1)...24).flatMap { number -> [ClosedKey] in
        [
            .transaction(KeptShop.id(number)), .key(OpaqueText("key \(number)")),
            .order(Samples.orderID(number)),
        ]
    }

    /// Whether a name is that of a file of closed things, which is not only a cache.
    private static func isHistory(_ name: String) -> Bool {
        (name.hasPrefix("archive-") || name.hasPrefix("ledger-")) && name.hasSuffix(".ndjson")
    }

    /// Files of another store of the same shape.
    var others: [String: [UInt8]] {
        let hasHistory = files.keys.contains(where: Self.isHistory)
        let same = Self.all.filter { other in
            other.files["format.json"] != files["format.json"]
                && other.files.keys.contains(where: Self.isHistory) == hasHistory
        }
        return same.first?.files ?? [:]
    }

    /// What is wrong with the answers of the files of closed things; nil if nothing is.
    ///
    /// - Parameters:
    ///   - opened: The content after a start.
    ///   - present: The files before the start.
    ///   - lost: The records whose closed things a repair named as lost; nil if it was no repair.
    /// - Returns: The first thing that is wrong.
    func historyFault(
        in opened: StateRig.Opened, _ present: [String: [UInt8]], lost: Set<UInt64>? = nil
    ) -> String? {
        let expected = closed[opened.loadedUpTo ?? 0] ?? [:]
        let areWhole =
            lost == nil
            && opened.queue.openedHistory.manifest.files.allSatisfy {
                present[$0.name] == files[$0.name]
            }
        guard var history = opened.history else {
            return areWhole || lost != nil ? "whole files of closed things are not indexed" : nil
        }
        if areWhole, expected.contains(where: { (try? history.find($0.key)) == nil }) {
            guard let again = try? opened.queue.archiveBuilder.reindex(history) else {
                return "a damaged index is not built again"
            }
            history = again
        }
        for (key, entry) in expected.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let found: ClosedEntry?
            do {
                found = try history.find(key)
            } catch {
                // Damage that a lookup meets is an error and not an answer.
                guard !areWhole, lost == nil else { return "\(key) fails: \(error)" }
                continue
            }
            guard found != entry else { continue }
            guard found == nil, let entry else { return "closed \(key) is another one" }
            guard lost?.contains(entry.sequence) == true else {
                return "closed \(key) is lost silently"
            }
        }
        return nil
    }

    /// What is wrong with a content of the queue; nil if nothing is.
    ///
    /// - Parameters:
    ///   - opened: The content after a start.
    ///   - lost: The records of the queue and of the store that a repair named as lost.
    ///   - isProven: Whether the files say how far the log went.
    /// - Returns: The first thing that is wrong.
    func fault(
        in opened: StateRig.Opened, lost: (queue: Set<UInt64>, store: Set<UInt64>) = ([], []),
        isProven: Bool
    ) -> String? {
        let from = opened.loadedUpTo ?? 0
        guard items[from] == opened.items else { return "another snapshot \(from)" }
        var expected = records.filter { $0.key > from }
        let found = Dictionary(uniqueKeysWithValues: opened.records.map { ($0.sequence, $0) })
        for sequence in expected.keys where sequence > acknowledged && found[sequence] == nil {
            expected[sequence] = nil
        }
        return Self.fault("record", found, expected, lost.queue, isProven)
            ?? Self.fault(
                "order", opened.notes, isOneLog ? notes.filter { $0.key > from } : notes,
                isOneLog ? lost.queue : lost.store, isProven)
    }

    private static func fault<Value: Equatable>(
        _ kind: String, _ found: [UInt64: Value], _ expected: [UInt64: Value],
        _ lost: Set<UInt64>, _ isProven: Bool
    ) -> String? {
        for (sequence, value) in found {
            guard expected[sequence] == value else { return "\(kind) \(sequence) is another one" }
            guard !lost.contains(sequence) else {
                return "\(kind) \(sequence) is there, named lost"
            }
        }
        // Without a proof of the end, an end that is missing cannot be told from a torn batch.
        let end = isProven ? UInt64.max : (found.keys.max() ?? 0)
        for sequence in expected.keys.sorted() where sequence <= end && found[sequence] == nil {
            guard lost.contains(sequence) else { return "\(kind) \(sequence) is lost silently" }
        }
        return nil
    }
}

extension MutationBase {
    /// The directories after stops of each kind, of all versions.
    static let all: [MutationBase] = {
        do {
            let stopped = try life(seed: 1) { queue, store in
                try queue.close()
                try store?.close()
            }
            let oneLog = try life(seed: 3, isOneLog: true) { queue, _ in try queue.close() }
            let oneLogKilled = try life(seed: 4, isOneLog: true) { queue, _ in
                try queue.markIdle()
            }
            let idle = { (queue: LocalLog, store: RecordJournal<Note>?) in
                try queue.markIdle()
                try store?.markIdle()
            }
            let killed = try life(seed: 2, end: idle)
            let inBatch = try life(seed: 2) { queue, store in
                try idle(queue, store)
                try queue.commitNumbers(61...63)
            }
            let atRest = try MutationBase("killed when idle", files: killed)
            var bases = [
                try MutationBase("stopped", files: stopped), atRest,
                try MutationBase(
                    "killed in a batch", files: torn(killed, before: inBatch),
                    acknowledged: atRest.records.keys.max() ?? 0),
            ]
            bases += [
                try MutationBase("one log, stopped", files: oneLog),
                try MutationBase("one log, killed when idle", files: oneLogKilled),
            ]
            for (name, seed) in [("closed things, stopped", 3), ("closed things, killed", 4)] {
                bases.append(try MutationBase(name, files: closedLife(seed: UInt64(seed))))
            }
            for version in ["v1", "v2", "v2-unmarked", "v3"] {
                let files = try fixture(version)
                let isMarked = version == "v2" || version == "v3"
                bases += [
                    try MutationBase(version, files: files, isMarked: isMarked),
                    try MutationBase(
                        "\(version), killed", files: withoutCleanStop(files), isMarked: isMarked),
                ]
            }
            return bases
        } catch {
            preconditionFailure("a base cannot be made: \(error)")
        }
    }()

    /// A life with several segments, two snapshots, and orders in the embedded store.
    private static func life(
        seed: UInt64, isOneLog: Bool = false,
        end: (LocalLog, RecordJournal<Note>?) throws -> Void
    ) throws -> [String: [UInt8]] {
        let world = MemoryDiskWorld()
        let opened = try StateRig(world: world, seed: seed, isOneLog: isOneLog).open()
        for number in 1...60 as ClosedRange<UInt64> {
            let note = Note(text: "\(number)")
            if number.isMultiple(of: 4), opened.store == nil {
                opened.queue.append(StoreRecord(note), time: Samples.time)
            }
            try opened.queue.commitNumbers(number...number)
            if number.isMultiple(of: 4), let store = opened.store {
                _ = store.append(note, time: Samples.time)
                try store.commit()
            }
            guard number == 20 || number == 40 else { continue }
            let image = NoteImage(count: opened.store == nil ? number : 0)
            let ticket = try #require(try opened.queue.log.beginSnapshot())
            let receipt = try LocalLog.writeSnapshot(ticket, store: image) { body in
                body(.counters(incarnation: number))
            }
            try opened.queue.log.snapshotWasWritten(receipt)?.perform()
        }
        try end(opened.queue, opened.store)
        return world.afterKill().files
    }

    /// A life with archive files, a ledger and their indexes; an odd seed stops it.
    private static func closedLife(seed: UInt64) throws -> [String: [UInt8]] {
        var rig = StorageRig(policy: KeptShop.trimmingPolicy)
        rig.environment = .foreseeable(seed: seed)
        var shop = try KeptShop(rig)
        try shop.workLong()
        if seed.isMultiple(of: 2) {
            try shop.journal.markIdle()
        } else {
            try shop.journal.close()
        }
        let files = rig.world.afterKill().files
        try #require(files.keys.filter(isHistory).count > 2)
        return files
    }

    /// The files before a batch, with the first part of the batch: nothing of it was acknowledged.
    private static func torn(
        _ files: [String: [UInt8]], before later: [String: [UInt8]]
    ) throws -> [String: [UInt8]] {
        let name = try #require(files.keys.filter { $0.hasPrefix("journal-") }.max())
        let (old, new) = (try #require(files[name]), try #require(later[name]))
        let start = try #require(zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset)
        let end = try #require(new.lastIndex { $0 != 10 })
        var torn = files
        torn[name]?.replaceSubrange(start..<end - 60, with: new[start..<end - 60])
        return torn
    }

    /// The directory of a version, stopped cleanly.
    private static func fixture(_ version: String) throws -> [String: [UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures").appending(path: version)
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = Array(try Data(contentsOf: folder.appending(path: name)))
        }
        return files
    }

    /// The same files with a lock file in which no clean stop is recorded.
    private static func withoutCleanStop(_ files: [String: [UInt8]]) throws -> [String: [UInt8]] {
        let lock = String(decoding: try #require(files["lock"]), as: UTF8.self)
        let stop = try #require(lock.firstMatch(of: #/"clean":{[^}]*},/#))
        let blanks = String(repeating: " ", count: lock[stop.range].utf8.count)
        var killed = files
        killed["lock"] = Array(lock.replacing(stop.0, with: blanks).utf8)
        return killed
    }
}
