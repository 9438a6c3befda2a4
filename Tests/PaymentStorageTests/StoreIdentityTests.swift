import PaymentCore
import PaymentTesting
import Testing

@testable import PaymentStorage

@Suite("The files that say what a store is")
struct StoreIdentityTests {
    /// An idle store in one segment, as a kill left it.
    private func store() throws -> MemoryDiskWorld {
        let rig = StorageRig()
        let journal = try rig.open().journal
        for number in 1...4 as ClosedRange<UInt64> { try journal.commitNumbers(number...number) }
        try journal.markIdle()
        return rig.world.afterKill()
    }

    private func refusal(_ world: MemoryDiskWorld) throws -> RecoveryRefusal? {
        try StorageRig(world: world, policy: StateRig.policy).refusal()
    }

    /// A way to spoil the text of a mark.
    enum Spoilt: CaseIterable {
        case blank, short, name, number

        func change(_ text: String) -> String {
            switch self {
            case .blank: ""
            case .short: #"{"checksum":"}"#
            case .name: text.replacing("checksum", with: "checkqum")
            case .number: text.replacing(/"number":\d+/, with: #""number":9"#)
            }
        }
    }

    @Test(
        "are refused if one of the two marks is not as it was written",
        arguments: Spoilt.allCases, [1024, 1536])
    func marks(_ spoilt: Spoilt, place: Int) throws {
        let world = try store()
        var lock = try #require(world.files["lock"])
        let text = String(decoding: lock[place..<place + 511], as: UTF8.self)
        let trimmed = String(text.prefix(through: try #require(text.lastIndex(of: "}"))))
        let changed = Array(spoilt.change(trimmed).utf8)
        #expect(changed != Array(trimmed.utf8))
        lock.replaceSubrange(
            place..<place + 511, with: changed + repeatElement(32, count: 511 - changed.count))
        world.put("lock", lock)
        #expect(try refusal(world)?.reason == .badLockFile)
    }

    @Test("are refused if the mark is of another store")
    func foreignMark() throws {
        let world = try store()
        try world.put(ProgressMark(store: UniqueID(high: 1, low: 2)))
        let refusal = try refusal(world)
        #expect(refusal?.reason == .foreignFile && refusal?.file == "lock")
    }

    @Test("show zeros in a segment that was filled with line feeds")
    func zeros() throws {
        let world = try store()
        let name = world.segments[0]
        var bytes = try #require(world.files[name])
        bytes[try #require(bytes.lastIndex { $0 != 10 }) + 9] = 0
        world.put(name, bytes)
        #expect(try refusal(world)?.reason == .missingEnd)
    }

    @Test(
        "are refused if the format file has a right checksum and a wrong member",
        arguments: [
            ("payqueued", "payqueuee"), (#""epoch":"[^"]*""#, #""epoch":"""#),
            (#""epoch":""#, #""epoch":""# + String(repeating: "a", count: 64)),
        ])
    func wrongFormat(pattern: String, replacement: String) throws {
        let world = try store()
        let text = String(decoding: try #require(world.files["format.json"]), as: UTF8.self)
        #expect(Forged.checked(String(text.dropLast())) + [10] == Array(text.utf8))
        let changed = try String(text.dropLast()).replacing(Regex(pattern), with: replacement)
        world.put("format.json", Forged.checked(changed) + [10])
        #expect(try refusal(world)?.reason == .badFormatFile)
    }

    @Test("are refused if the format file does not name its checksum")
    func unnamedChecksum() throws {
        let world = try store()
        let text = String(decoding: try #require(world.files["format.json"]), as: UTF8.self)
        world.put("format.json", Array(text.replacing("checksum", with: "checkqum").utf8))
        #expect(try refusal(world)?.reason == .badFormatFile)
    }

    /// The files of a queue whose store has a journal of its own, with other files below `sandbox`.
    private func queue(_ inner: [String: [UInt8]]) throws -> MemoryDiskWorld {
        let own = MutationBase.all[0].files.filter { !$0.key.hasPrefix("sandbox/") }
        return try MemoryDiskWorld(files: own.merging(inner) { $1 })
    }

    @Test("are refused without the store in a subdirectory, or with that of another directory")
    func parts() throws {
        let other = try #require(
            MutationBase.all.first { $0.testDescription == "killed when idle" })
        let foreign = other.files.filter { $0.key.hasPrefix("sandbox/") }
        for (inner, reason) in [
            ([:], .missingPart), (["sandbox": []], .missingPart),
            (["sandbox/lock": []], .missingPart), (foreign, .foreignFile),
        ] as [([String: [UInt8]], RecoveryRefusal.Reason)] {
            let world = try queue(inner)
            let before = world.files
            let refusal = try refusal(world)
            #expect(refusal?.reason == reason && refusal?.file == "sandbox/format.json")
            #expect(world.files == before)
        }
    }

    @Test("do not need that store once the log has its records")
    func mergedPart() throws {
        let world = try queue([:])
        var format = try world.format()
        #expect(!format.parts.isEmpty)
        format.storeSince = 0
        world.put("format.json", format.bytes)
        #expect(try refusal(world) == nil)
    }

    @Test(
        "are missed where anything but an empty first segment is left",
        arguments: [
            ["snapshot-00000000000000000009.json": ""],
            ["journal-00000000000000000041.ndjson": ""],
            [
                "journal-00000000000000000001.ndjson": "",
                "journal-00000000000000000041.ndjson": "",
            ],
            ["journal-00000000000000000001.ndjson": "{}\n{}\n"],
        ])
    func leftFiles(files: [String: String]) throws {
        let world = try MemoryDiskWorld(files: files.mapValues { Array($0.utf8) })
        let refusal = try refusal(world)
        #expect(refusal?.reason == .badFormatFile)
        for (name, text) in files { #expect(world.files[name] == Array(text.utf8)) }
    }

    @Test("are made where a start was interrupted before", arguments: ["", "{", "{}\n\n\u{0}"])
    func interruptedStart(text: String) throws {
        let world = MemoryDiskWorld()
        world.put("journal-00000000000000000001.ndjson", Array(text.utf8))
        #expect(try StorageRig(world: world).open().report.isNew)
    }

    @Test("are not missed in an empty directory, nor in one that has another content")
    func noStore() throws {
        let report = JournalVerifier.verify(MemoryDisk())
        #expect(report.isEmpty && report.findings == [])
        let world = try MemoryDiskWorld(files: ["sandbox/lock": []])
        #expect(try JournalRepair.journals(of: MemoryDisk(world: world)) == [])
    }
}

/// How often a verification reads a directory, and for whom.
@Suite("A verification")
struct VerificationTests {
    private func store() throws -> MemoryDiskWorld { try .unmarked(events: 20) }

    /// Does something at the first event, and may object at the end.
    private final class Visitor: RecoveryVisitor {
        private var atFirst: () -> Void
        private let objects: Bool

        init(objects: Bool = false, atFirst: @escaping () -> Void = {}) {
            self.objects = objects
            self.atFirst = atFirst
        }

        func snapshotLine(_ content: LineContent) -> Bool { true }
        func snapshotIsComplete(lastEvent: SequenceNumber) {}
        func progress(_ progress: RecoveryProgress) {}

        func event(_ line: JournalLine) -> Bool {
            atFirst()
            atFirst = {}
            return true
        }

        func end() throws {
            if objects { throw PayloadFault("an objection") }
        }
    }

    @Test(
        "reads again only what a quick receiver objects to, or what is damaged",
        arguments: [(false, false), (true, false), (false, true)])
    func quickly(objects: Bool, isDamaged: Bool) throws {
        let world = try store()
        if isDamaged { world.damage(world.segments[0], line: 4) }
        var readings = 0
        let report = JournalVerifier.verify(
            MemoryDisk(world: world),
            visitor: {
                readings += 1
                return Visitor()
            }, quick: { Visitor(objects: objects) })
        #expect(report.exitCode == (isDamaged ? 1 : 0))
        #expect(readings == (objects || isDamaged ? 1 : 0))
    }

    @Test(
        "reads again only damage, if the lock file has changed or a process holds it",
        arguments: [
            (false, false, false, 1), (false, true, false, 1), (true, false, false, 1),
            (true, true, false, 2), (false, false, true, 1), (true, false, true, 2),
        ])
    func readings(isDamaged: Bool, changes: Bool, isInUse: Bool, expected: Int) throws {
        let world = try store()
        if isDamaged { world.damage(world.segments[0], line: 4) }
        let lock = try #require(world.files["lock"])
        var readings = 0
        if isInUse { world.lockHolder = 1 }
        let report = JournalVerifier.verify(MemoryDisk(world: world)) {
            readings += 1
            let isFirst = readings == 1
            return Visitor {
                if changes, isFirst { world.put("lock", [33] + lock.dropFirst()) }
            }
        }
        #expect(report.exitCode == (isDamaged ? 1 : 0))
        #expect(readings == expected)
    }
}
